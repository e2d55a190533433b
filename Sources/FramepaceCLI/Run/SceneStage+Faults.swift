import Framepace

extension SceneStage {
  /// Tells of the pictures and letters of the scene that are not shown as they should be.
  @MainActor
  func tellOfFaults(_ tell: @escaping @MainActor (String) -> Void) {
    onPictureFailure = { _, error in tell("\(error)") }
    onMissingCharacters = { _, missing in tell("\(missing)") }
  }
}
