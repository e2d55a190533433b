import Glibc
import Raster

extension Bitmap {
  /// The end of a bitmap that touches memory which nobody may read or write.
  enum GuardedEnd {
    case start
    case end
  }

  /// A bitmap without padding between pages that may not be touched: the first byte before or behind it ends the process.
  static func guarded(width: Int, height: Int, at end: GuardedEnd) -> Bitmap {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let bytes = width * 4 * height
    let pages = (bytes + page - 1) / page * page
    guard let block = mmap(nil, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), block != MAP_FAILED,
      mprotect(block + page, pages, PROT_READ | PROT_WRITE) == 0
    else { fatalError("no memory for a guarded bitmap: \(errno)") }
    let base = block + page + (end == .end ? pages - bytes : 0)
    let start = Int(bitPattern: block)
    return Bitmap(width: width, height: height, bytesPerRow: width * 4, base: base) { _ in
      munmap(UnsafeMutableRawPointer(bitPattern: start), pages + 2 * page)
    }
  }
}
