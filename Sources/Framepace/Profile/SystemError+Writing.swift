import Glibc
package import LinuxSystem

extension SystemError {
  /// The reason why a file could not be written, with a way out where there is one: a clause after "cannot write to 'path': ".
  package func reasonNotToWrite(_ path: String) -> String {
    var status = stat()
    let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    let kind = stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
    return switch (call, errno) {
    case (_, EISDIR): "it is a folder; name a file"
    case (_, ENOENT) where isLink: "it is a link to a file whose folder does not exist"
    case (_, ENOENT) where !path.isEmpty: AtomicFile.missingFolder(of: path)?.sentence ?? "its folder takes no new files"
    case (_, ENXIO) where kind == S_IFIFO: "nobody reads from it; start its reader first"
    case (_, ENXIO) where kind == S_IFSOCK: "it is a socket; name a file"
    case ("rename", _): "\(reason): the file that is there belongs to somebody else, or is protected"
    default: reason
    }
  }
}
