public final class FrameLoop: Sendable {
  public struct Mode: Hashable, Sendable {}
}
