// Work for another thread's loop: without waiting, with waiting, after a delay, in an order, and cancelled. Usually a thread
// produces something and hands it to the main thread.
import LinuxSystem
import RunLoops

@MainActor
final class Screen {
  private(set) var shown: [String] = []
  func show(_ text: String) { shown.append(text) }
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let main = FrameLoop.main
    let screen = Screen()
    let producer = try LoopThread(name: "producer")

    try producer.loop.performLater {
      try? main.performLater(onMain: { screen.show("found one") })
      // This waits for the main thread and gets an answer.
      let count = try? main.performAndWait(onMain: {
        screen.show("found two")
        return screen.shown.count
      })
      try? main.performLater(onMain: {
        screen.show("done, after \(count ?? 0)")
        main.stop()
      })
    }
    main.run()
    print(screen.shown)
    guard screen.shown == ["found one", "found two", "done, after 2"] else { fatalError("work was lost or out of order") }

    // One pass performs all waiting work. A lower order goes first, whatever was queued first.
    var order: [String] = []
    try main.performLater(order: 2, onMain: { order.append("last") })
    try main.performLater(order: 1, onMain: { order.append("middle") })
    try main.performLater(order: -1, onMain: { order.append("first") })

    // A search that starts when the user has stopped typing: each key postpones it.
    var searches: [String] = []
    for text in ["s", "sw", "swi", "swift"] {
      main.cancelPerformers(for: screen, key: "search")
      try main.perform(after: .milliseconds(10), for: screen, key: "search", onMain: { searches.append(text) })
    }
    try main.perform(after: .milliseconds(30), onMain: { main.stop() })
    main.run()
    print("\(order), searched for \(searches)")
    guard order == ["first", "middle", "last"], searches == ["swift"] else { fatalError("orders or cancelling do not work") }
  }
}
