import Framepace
import KMS

/// What a run asks of each of its screens.
struct OutputSettings {
  var policy = FramePolicy.vblank
  var animation = AnimationTime.Policy.presentation
  var wantsVariableRefresh = false
  var allowsTearing = false

  /// - Returns: what the screen goes on without.
  @MainActor
  func apply(to display: any Display) -> [FeatureRefusal] {
    guard let screen = display as? KMSDisplay else { return [] }
    screen.wantsVariableRefresh = wantsVariableRefresh
    screen.allowsTearing = allowsTearing
    return [screen.variableRefresh, screen.tearing].compactMap(\.refusal)
  }

  @MainActor
  func apply(to output: Output) {
    output.policy = policy
    output.animationTime = AnimationTime(animation)
  }
}
