public final class DrawingContext {}
