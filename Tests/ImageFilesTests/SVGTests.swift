import CRSVG
import Glibc
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import ImageFiles

@Suite struct SVGTests {
  private static let icons = "/usr/share/icons/Adwaita/scalable"

  /// Icons of Debian's theme against librsvg in this process, which needs no PNG in between: colours differ by the rounding of alpha
  /// that is taken out and counted in again.
  @Test func iconsAreThoseOfTheLibrary() throws {
    let paths = try OwnedDescriptor.names(in: Self.icons).sorted().flatMap { folder in
      try OwnedDescriptor.names(in: Self.icons + "/" + folder).filter { $0.hasSuffix(".svg") }.sorted().map {
        "\(Self.icons)/\(folder)/\($0)"
      }
    }
    try #require(paths.count > 500)
    for (index, path) in paths.enumerated() where isLongRun || index % 20 == runSeed % 20 {
      let bytes = try OwnedDescriptor.contents(of: path, limit: 1 << 20)
      let file = try ImageFile(bytes: bytes, name: path)
      #expect(file.header.format == .svg && file.header.isDrawing && file.header.animation == nil)
      for side in [file.header.size.width, 24, 100] {
        let image = try file.decode(fitting: PixelSize(width: side, height: side))
        #expect(max(image.width, image.height) == side, "\(path)")
        let reference = try drawn(bytes, image.width, image.height)
        let difference = zip(image.pixels, reference).reduce(0) { largest, pair in
          [0, 8, 16, 24].reduce(largest) { max($0, abs(Int(pair.0 >> $1 & 0xFF) - Int(pair.1 >> $1 & 0xFF))) }
        }
        #expect(difference <= 1, "\(path) at \(image.width)x\(image.height)")
      }
    }
  }

  /// The pixels that the library draws, alpha multiplied in.
  private func drawn(_ bytes: [UInt8], _ width: Int, _ height: Int) throws -> [UInt32] {
    var pixels = [UInt32](repeating: 0, count: width * height)
    let handle = try #require(rsvg_handle_new_from_data(bytes, UInt(bytes.count), nil))
    defer { g_object_unref(handle) }
    // As the program does: in the file's own size, not rounded, stretched.
    let rounded = try ImageFile(bytes: bytes).header.size
    var size = (width: Double(rounded.width), height: Double(rounded.height))
    _ = rsvg_handle_get_intrinsic_size_in_pixels(handle, &size.width, &size.height)
    pixels.withUnsafeMutableBytes { pixels in
      let surface = cairo_image_surface_create_for_data(
        pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(width), Int32(height),
        Int32(width * 4))
      let context = cairo_create(surface)
      cairo_scale(context, Double(width) / size.width, Double(height) / size.height)
      var viewport = RsvgRectangle(x: 0, y: 0, width: size.width, height: size.height)
      #expect(rsvg_handle_render_document(handle, context, &viewport, nil) != 0)
      cairo_destroy(context)
      cairo_surface_destroy(surface)
    }
    return pixels
  }

  /// Sizes that `rsvg-convert` gives these files, and none where it measures what is drawn.
  @Test(arguments: [
    ("width='10' height='20'", "10x20"), ("width='10.2px' height='20.7px'", "11x21"), ("viewBox='0 0 10 20'", "10x20"),
    ("width='100' viewBox='0 0 10 20'", "100x200"), ("width='50%' viewBox='0 0 10 20'", "10x20"),
    ("height='100' viewBox='0 0 10 20'", "50x100"), ("width='1in' height='2cm'", "96x76"),
    ("width='2em' height='2ex'", "24x12"), ("width='1e1' height='20pt'", "10x27"), ("width='0' height='20pt'", nil),
    ("width='100%' height='100%' viewBox='0 0 10 20'", "10x20"),
    ("width='30' height='50%' viewBox='0,0 10,20'", "30x60"),
    ("style='width:30px; height : 40px' viewBox='0 0 10 20'", "30x40"),
    ("width='10 px' height='20'", nil), ("width='30'", nil), ("width='foo' height='20' viewBox='0 0 10 20'", "10x20"),
    ("width='100.4' viewBox='0 0 10 20.3'", "101x204"), ("", nil), ("viewBox='0 0 -10 20'", nil), ("viewBox='0 0 0 1'", nil),
    ("width='1e300' height='1'", nil), ("width='nan' height='1'", nil),
  ])
  func sizesAreThoseOfTheProgram(attributes: String, size: String?) {
    let text = "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)><rect width='3' height='4'/></svg>"
    let file = try? ImageFile(bytes: Array(text.utf8))
    #expect(file?.header.size.description == size)
  }

  @Test func whatStandsBeforeTheRootIsSkipped() throws {
    let root = "<svg:svg xmlns:svg='http://www.w3.org/2000/svg' width='3' height='4'/>"
    for before in [
      "", "\u{FEFF}", " \n", "<?xml version='1.0'?>\n<!-- <svg> -->", "<!DOCTYPE svg [<!ENTITY a '>]'> ]>", "<!DOCTYPE svg>",
      "<!DOCTYPE svg [<!-- it's ]> --><!ENTITY a '<!--'>]>", "<!DOCTYPE svg [<?it's one?>]>",
    ] {
      #expect(try ImageFile(bytes: Array((before + root).utf8)).header.size.description == "3x4", "\(before)")
    }
    for text in [
      "x" + root, "<!-- " + root, "<html/>", "<", "<svg", "<?xml", "<!DOCTYPE svg [", "<!DOCTYPE svg [<!-- ]>",
      "<svgs width='3' height='4'/>",
    ] {
      #expect(throws: ImageFileError.unknownFormat(name: "")) { try ImageFile(bytes: Array(text.utf8)) }
    }
  }

  /// A drawing fills its box, up to 16 million pixels.
  @Test func drawingsAreDrawnAtAnySize() throws {
    let file = try Pictures.file("drawing.svg")
    func size(_ fit: ImageFit) -> String { file.header.size(fit).description }
    #expect(size(.natural) == "61x43" && size(.scaled(2)) == "122x86" && size(.scaled(0.01)) == "1x1")
    #expect(size(.inside(PixelSize(width: 610, height: 4000))) == "610x430")
    #expect(size(.covering(PixelSize(width: 610, height: 4300))) == "4879x3439")
    let most = file.header.size(.inside(PixelSize(width: 1_000_000_000, height: 1_000_000_000)))
    #expect(most.width * most.height <= 1 << 24 + 10_000 && most.width > 4000)
    let image = try file.decode(fitting: PixelSize(width: 200, height: 200))
    #expect(image.width == 200 && image.height == 141)
  }

  private func file(_ body: String, limits: ImageLimits = ImageLimits(), size: Int = 400) throws -> ImageFile {
    let root =
      "<svg xmlns='http://www.w3.org/2000/svg' xmlns:xlink='http://www.w3.org/1999/xlink' width='\(size)' height='\(size)'>"
    return try ImageFile(bytes: Array((root + body + "</svg>").utf8), limits: limits)
  }

  private func chain(_ count: Int, _ element: (Int) -> String) -> String {
    "<defs>" + (0..<count).map(element).joined() + "</defs>"
  }

  /// References that lead from one to the next end the stack of whoever draws them: another process.
  @Test func longChainsAreRefused() throws {
    let uses = chain(3000) { "<g id='a\($0)'><use xlink:href='#a\($0 + 1)'/></g>" } + "<use xlink:href='#a0'/>"
    let masks =
      chain(3000) { "<mask id='a\($0)'><rect width='9' height='9' fill='white' mask='url(#a\($0 + 1))'/></mask>" }
      + "<rect width='9' height='9' mask='url(#a0)'/>"
    for body in [uses, masks] { #expect(throws: ImageFileError.self) { try file(body).decode() } }
    let nested = String(repeating: "<g>", count: 5000) + String(repeating: "</g>", count: 5000)
    #expect(throws: ImageFileError.self) { try file(nested).decode() }
  }

  /// Ten references in each of ten groups, and so on.
  @Test func manyReferencesAreRefused() throws {
    let body =
      chain(12) { number in
        "<g id='a\(number)'>" + String(repeating: "<use xlink:href='#a\(number + 1)'/>", count: 10) + "</g>"
      }
      + "<use xlink:href='#a0'/>"
    #expect(throws: ImageFileError.self) { try file(body).decode() }
    let entities = (1..<12).map { "<!ENTITY e\($0) '" + String(repeating: "&e\($0 - 1);", count: 10) + "'>" }.joined()
    let text =
      "<!DOCTYPE svg [<!ENTITY e0 '<g/>'>\(entities)]><svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'>&e11;</svg>"
    #expect(throws: ImageFileError.self) { try ImageFile(bytes: Array(text.utf8)).decode() }
  }

  /// Each group has a picture of its own while what is in it is drawn.
  @Test func memoryIsBounded() throws {
    var limits = ImageLimits()
    limits.memory = 64 << 20
    let groups = 200
    let body =
      String(repeating: "<g opacity='0.9'>", count: groups) + "<rect width='9' height='9'/>"
      + String(repeating: "</g>", count: groups)
    let error = #expect(throws: ImageFileError.self) { try file(body, limits: limits, size: 1500).decode() }
    #expect(error == .needsMemory(name: "", limit: limits.memory), "\(String(describing: error))")
    #expect(throws: Never.self) { try file(body, size: 100).decode() }
    // The picture itself, and the PNG that the program writes.
    let whole = 100 * 100 * 8 + 100 * 100 / 64 + 65_536
    limits.memory = whole - 1
    #expect(throws: ImageFileError.needsMemory(name: "", limit: whole - 1)) {
      try file("", limits: limits, size: 100).decode()
    }
    limits.memory = whole
    #expect(throws: Never.self) { try file("", limits: limits, size: 100).decode() }
  }

  /// The program is ended in the middle of its work, which would take minutes.
  @Test func timeIsBoundedWhileItIsDrawn() throws {
    var limits = ImageLimits()
    limits.duration = .milliseconds(200)
    let filter =
      "<filter id='f'>" + String(repeating: "<feTurbulence baseFrequency='0.5' numOctaves='200'/>", count: 200) + "</filter>"
    let body = filter + "<rect width='2000' height='2000' filter='url(#f)'/>"
    #expect(throws: ImageFileError.tookTooLong(name: "", limit: limits.duration)) {
      try file(body, limits: limits, size: 2000).decode()
    }
    var checks = 0
    #expect(throws: ImageFileError.cancelled) {
      try file(body, size: 2000).decode {
        checks += 1
        return checks == 10
      }
    }
  }

  /// Nothing but the file itself is read.
  @Test func noOtherFileIsRead() throws {
    for reference in [Pictures.folder + "/colour.png", "file://" + Pictures.folder + "/colour.png", "colour.png"] {
      let body = "<image width='400' height='400' xlink:href='\(reference)'/>"
      #expect(try file(body).decode().pixels.allSatisfy { $0 == 0 }, "\(reference)")
    }
    let entity = "<!DOCTYPE svg [<!ENTITY a SYSTEM 'file:///etc/hostname'>]>"
    let text = entity + "<svg xmlns='http://www.w3.org/2000/svg' width='99' height='20'><text y='15'>&a;</text></svg>"
    if let image = try? ImageFile(bytes: Array(text.utf8)).decode() { #expect(image.pixels.allSatisfy { $0 == 0 }) }
  }

  @Test func whatTheProgramSaysIsTheReason() throws {
    let error = #expect(throws: ImageFileError.self) { try file("<g>").decode() }
    #expect(error?.description.contains("XML parse error") == true, "\(String(describing: error))")
  }
}
