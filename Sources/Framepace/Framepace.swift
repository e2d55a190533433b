// An application needs one import. What only those need who write displays, vblank sources or another engine stays in its
// module.

@_exported public import Geometry
@_exported public import LinuxSystem
@_exported public import Metering
@_exported public import Raster
@_exported public import RunLoops

@_exported public import struct FrameTiming.AnimationTime
@_exported public import struct FrameTiming.AutomaticInterval
@_exported public import class FrameTiming.DisplayLink
@_exported public import class FrameTiming.DisplayTicker
@_exported public import struct FrameTiming.DisplayTicks
@_exported public import enum FrameTiming.FrameEvent
@_exported public import enum FrameTiming.FramePolicy
@_exported public import struct FrameTiming.FrameRateRange
@_exported public import struct FrameTiming.FrameRecord
@_exported public import struct FrameTiming.RefreshRate

@_exported public import protocol Layers.Animatable
@_exported public import struct Layers.AnimatableKey
@_exported public import struct Layers.AnimatableProperty
@_exported public import struct Layers.AnimatableValues
@_exported public import protocol Layers.Animation
@_exported public import struct Layers.AnimationSettings
@_exported public import struct Layers.BasicAnimation
@_exported public import enum Layers.CalculationMode
@_exported public import struct Layers.CurveShape
@_exported public import struct Layers.KeyframeAnimation
@_exported public import class Layers.Layer
@_exported public import enum Layers.LayerAction
@_exported public import protocol Layers.LayerDelegate
@_exported public import struct Layers.MediaTiming
@_exported public import class Layers.ShapeLayer
@_exported public import struct Layers.Spring
@_exported public import struct Layers.SpringAnimation
@_exported public import class Layers.TextLayer
@_exported public import struct Layers.TimingFunction
@_exported public import enum Layers.Transaction

@_exported public import enum Presentation.Buffering
@_exported public import protocol Presentation.Display
@_exported public import enum Presentation.DisplayEvent
@_exported public import struct Presentation.DisplayGeometry
@_exported public import enum Presentation.DisplayRotation
@_exported public import enum Presentation.DisplayState
@_exported public import class Presentation.Observation
@_exported public import class Presentation.Output
@_exported public import class Presentation.VirtualDisplay
