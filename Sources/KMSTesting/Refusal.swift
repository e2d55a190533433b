/// A simulated kernel's no.
struct Refusal: Error {
  let errno: Int32

  init(_ errno: Int32) { self.errno = errno }
}
