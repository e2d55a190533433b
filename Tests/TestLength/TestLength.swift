import Glibc

/// True in `tools/test --long`, where a test repeats everything that it can.
public let isLongRun = getenv("FRAMEPACE_LONG").map { $0.pointee != 0 } ?? false

/// The number on which the choices of a short run depend: `FRAMEPACE_SEED`, or a number of this run's own.
public let runSeed: Int = {
  let seed = getenv("FRAMEPACE_SEED").flatMap { Int(String(cString: $0)) } ?? Int.random(in: 0..<10_000)
  print("FRAMEPACE_SEED=\(seed) repeats this run's choices")
  return seed
}()

/// All of the cases in a long run, otherwise so many of them in a row: those of the next seed follow them, so that runs take turns.
public func some<Cases: Collection>(_ count: Int, of cases: Cases) -> [Cases.Element] {
  let all = Array(cases)
  if isLongRun || all.count <= count { return all }
  return (0..<count).map { all[(runSeed % all.count * count + $0) % all.count] }
}
