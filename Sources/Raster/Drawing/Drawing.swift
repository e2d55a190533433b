/// A picture still to be drawn: a value that captures what it needs, never a layer, and draws on any thread.
///
/// Look at `context.isCancelled` between expensive steps and return when it is true: a newer picture has been asked for.
public protocol Drawing: Sendable {
  func draw(in context: DrawingContext)
}
