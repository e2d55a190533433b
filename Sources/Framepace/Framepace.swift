// An application needs one import.
@_exported public import FrameTiming
@_exported public import Geometry
@_exported public import Layers
@_exported public import LinuxSystem
@_exported public import Metering
@_exported public import Presentation
@_exported public import Raster
@_exported public import RunLoops
