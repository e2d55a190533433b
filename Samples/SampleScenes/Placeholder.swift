// scenes
