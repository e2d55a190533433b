// FramepaceTesting
