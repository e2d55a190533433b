public import Geometry
public import Input
public import Layers
public import LinuxSystem

/// A contact with the layer that it began on: a finger, a pen, or a pointer whose button is held.
///
/// The object is the same from `touchBegan` to `touchEnded` or `touchCancelled`, of which each touch gets one, and stays with its layer wherever
/// it moves. Its values are those of the event that is delivered.
@MainActor
public final class Touch: Identifiable {
  public nonisolated let id: Contact.ID
  public nonisolated let kind: ContactKind
  /// The device of the contact.
  public nonisolated let device: InputDevice.ID
  public internal(set) var phase = Contact.Phase.began
  /// When the device had the contact here.
  public internal(set) var time: MonotonicTime
  /// From 0 to 1; nil for a device that does not tell.
  public internal(set) var pressure: Double?
  /// All samples that the event puts together, the oldest first: what a brush paints along. The last one is the event's own.
  public internal(set) var history: [ContactSample] = []
  /// The layer on which the contact began: the one that a hit test found. Nil after the layer went away.
  public internal(set) weak var layer: Layer?

  /// In points of the output, which are those of the root layer unless that is moved itself.
  public internal(set) var location: Point
  public internal(set) var previousLocation: Point

  /// Knows the movement of the touch.
  private var predictor = ContactPredictor()
  private let clock: SystemClock

  /// The responder that is told of the touch; nil after a gesture took the touch, or if there was none.
  var responder: Responder?

  init(_ contact: Contact, kind: ContactKind, device: InputDevice.ID, layer: Layer?, clock: SystemClock) {
    (id, self.kind, self.device, self.clock) = (contact.id, kind, device, clock)
    (time, location, previousLocation) = (contact.time, contact.location, contact.location)
    self.layer = layer
  }

  /// Takes a sample of its device.
  func add(_ sample: ContactSample) {
    history.append(sample)
    pressure = sample.pressure ?? pressure
    predictor.add(sample.contact.location, at: sample.contact.time)
  }

  /// The place at which the touch was or is expected at a time, past or to come, in points of the output. It lies between samples on the line from
  /// one to the next, and after the last one up to 8 ms ahead, and beyond the last place by half of the last way at most, see
  /// `ContactPredictor`. A touch that rests is at `location`. Gestures and scrolling do not use it.
  ///
  /// A device's reports do not keep step with a display's frames. What is placed by the last report is sometimes nearer to the finger, sometimes
  /// farther, and trembles while the finger moves evenly. At 5 ms before the tick, as on Android, the place is as far behind the finger in each
  /// frame, if the device reports 100 times a second or more:
  ///
  /// ```swift
  /// engine.makeDisplayLink { link in dot.position = touch.location(predictedFor: link.timestamp - .milliseconds(5)) }
  /// ```
  ///
  /// The place that is asked for at `link.targetTimestamp` is the nearest to the finger, and trembles as that of the last report does.
  public func location(predictedFor time: MonotonicTime) -> Point {
    predictor.location(at: time, now: clock.now) ?? location
  }

  /// The place in the coordinates of a layer of the same tree; nil where the layer is not seen there, as one in perspective behind the viewer.
  public func location(in layer: Layer) -> Point? { convert(location, to: layer) }

  /// The place before this event.
  public func previousLocation(in layer: Layer) -> Point? { convert(previousLocation, to: layer) }

  /// Converts a place of the output, such as that of a sample of `history`, to the coordinates of a layer.
  public func convert(_ point: Point, to layer: Layer) -> Point? { layer.point(ofOutput: point) }
}
