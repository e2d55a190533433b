// An application needs one import. What only those need who write displays, vblank sources or another engine stays in its
// module.

// These two whole: their types have operators, which an import of a type does not bring.
@_exported public import Geometry
@_exported public import LinuxSystem

// All of it is for applications.
@_exported public import Interaction

@_exported public import enum RunLoops.FatalSignalError
@_exported public import class RunLoops.FatalSignalSource
@_exported public import class RunLoops.FrameLoop
@_exported public import struct RunLoops.LoopCallback
@_exported public import class RunLoops.LoopThread
@_exported public import enum RunLoops.ObserverOrder
@_exported public import enum RunLoops.PerformError
@_exported public import class RunLoops.SignalSource
@_exported public import struct RunLoops.TimerTicks

@_exported public import struct FrameTiming.AnimationTime
@_exported public import struct FrameTiming.AutomaticInterval
@_exported public import class FrameTiming.DisplayLink
@_exported public import class FrameTiming.DisplayTicker
@_exported public import struct FrameTiming.DisplayTicks
@_exported public import enum FrameTiming.FrameEvent
@_exported public import enum FrameTiming.FramePolicy
@_exported public import struct FrameTiming.FrameRecord
@_exported public import struct FrameTiming.RefreshRate

@_exported public import struct Hangs.HangDetector
@_exported public import class Hangs.HangMonitor
@_exported public import struct Hangs.HangReport
@_exported public import struct Hangs.LoadDetector

@_exported public import class Metering.FPSMeter
@_exported public import struct Metering.FrameDiagram
@_exported public import enum Metering.FrameProfile
@_exported public import struct Metering.FrameLedger
@_exported public import struct Metering.FrameLog
@_exported public import enum Metering.FrameLogFormat
@_exported public import struct Metering.DurationBuckets
@_exported public import struct Metering.FrameMetrics
@_exported public import struct Metering.FrameReport
@_exported public import struct Metering.FrameStep
@_exported public import enum Metering.HitchSeverity
@_exported public import struct Metering.LateCount
@_exported public import struct Metering.LoggedFrame
@_exported public import struct Metering.MetricsPage
@_exported public import struct Metering.PhaseProfile
@_exported public import struct Metering.ProcessFigures

@_exported public import struct Raster.AnimatedPNG
@_exported public import class Raster.Bitmap
@_exported public import enum Raster.BitmapError
@_exported public import protocol Raster.Drawing
@_exported public import class Raster.DrawingContext
@_exported public import class Raster.EncodingQueue
@_exported public import enum Raster.FillRule
@_exported public import struct Raster.Font
@_exported public import struct Raster.FontAxis
@_exported public import enum Raster.FontError
@_exported public import class Raster.FontFace
@_exported public import struct Raster.FontFeature
@_exported public import struct Raster.FontInstance
@_exported public import struct Raster.FontTag
@_exported public import struct Raster.FontVariation
@_exported public import struct Raster.GlyphRun
@_exported public import struct Raster.Gradient
@_exported public import class Raster.Image
@_exported public import enum Raster.PNG
@_exported public import enum Raster.PNGError
@_exported public import struct Raster.Path
@_exported public import struct Raster.PathDataError
@_exported public import struct Raster.PictureRate
@_exported public import struct Raster.RawVideo
@_exported public import struct Raster.StrokeStyle
@_exported public import enum Raster.SystemFonts
@_exported public import struct Raster.TextFill
@_exported public import struct Raster.TextLine

@_exported public import enum RenderTree.BlendMode
@_exported public import enum RenderTree.Blending
@_exported public import struct RenderTree.ColorMatrix
@_exported public import struct RenderTree.EmitterCell
@_exported public import enum RenderTree.EmitterMode
@_exported public import enum RenderTree.EmitterRenderMode
@_exported public import enum RenderTree.EmitterShape
@_exported public import enum RenderTree.GradientType
@_exported public import struct RenderTree.ShapeGradient
@_exported public import enum RenderTree.ImageFilter
@_exported public import class RenderTree.OldPicture
@_exported public import class RenderTree.Surface
@_exported public import enum RenderTree.SurfaceError
@_exported public import struct RenderTree.SurfacePixels
@_exported public import enum RenderTree.TransitionSubtype
@_exported public import enum RenderTree.TransitionType

@_exported public import class ImageFiles.ImageCache
@_exported public import enum ImageFiles.ImageFileError
@_exported public import struct ImageFiles.ImageLimits
@_exported public import protocol ImageFiles.OrderedImageLoader
@_exported public import protocol ImageFiles.OrderedImageRequest
@_exported public import struct ImageFiles.PixelSize

@_exported public import struct Typesetting.AttributedText
@_exported public import class Typesetting.FontLibrary
@_exported public import struct Typesetting.FontRequest
@_exported public import struct Typesetting.LineDecoration
@_exported public import class Typesetting.TextLayout

@_exported public import protocol Layers.Animatable
@_exported public import struct Layers.AnimatableKey
@_exported public import struct Layers.AnimatableProperty
@_exported public import struct Layers.AnimatableValues
@_exported public import protocol Layers.Animation
@_exported public import struct Layers.AnimationGroup
@_exported public import struct Layers.AnimationSettings
@_exported public import struct Layers.BasicAnimation
@_exported public import enum Layers.CalculationMode
@_exported public import struct Layers.CurveShape
@_exported public import class Input.ComposeTable
@_exported public import struct Input.InputCode
@_exported public import struct Input.InputDevice
@_exported public import class Input.InputDevices
@_exported public import struct Input.InputEvent
@_exported public import class Input.InputPlayer
@_exported public import struct Input.InputScript
@_exported public import struct Input.InputScriptError
@_exported public import struct Input.KeyEvent
@_exported public import struct Input.KeyModifiers
@_exported public import class Input.Keyboard
@_exported public import class Input.KeyboardLayout
@_exported public import enum Input.KeyboardLayoutError
@_exported public import struct Input.KeyboardLEDs
@_exported public import struct Input.Keysym
@_exported public import struct Input.TouchCalibration

@_exported public import class Layers.EmitterLayer
@_exported public import class Layers.GradientLayer
@_exported public import class Layers.ImageLayer
@_exported public import struct Layers.KeyframeAnimation
@_exported public import class Layers.Layer
@_exported public import enum Layers.LayerAction
@_exported public import struct Layers.LayerContents
@_exported public import protocol Layers.LayerDelegate
@_exported public import enum Layers.DrawingPriority
@_exported public import protocol Layers.LayoutManager
@_exported public import class Layers.LayerStyle
@_exported public import struct Layers.MediaTiming
@_exported public import struct Layers.LayerState
@_exported public import struct Layers.MissingCharacters
@_exported public import class Layers.ParagraphLayer
@_exported public import class Layers.ReplicatorLayer
@_exported public import class Layers.ScrollLayer
@_exported public import class Layers.ShapeLayer
@_exported public import struct Layers.SizeProposal
@_exported public import struct Layers.Spring
@_exported public import struct Layers.SpringAnimation
@_exported public import struct Layers.StateTransition
@_exported public import class Layers.SurfaceLayer
@_exported public import class Layers.TextLayer
@_exported public import class Layers.TiledLayer
@_exported public import struct Layers.TimingFunction
@_exported public import enum Layers.Transaction
@_exported public import struct Layers.TransactionKey
@_exported public import class Layers.TransformLayer
@_exported public import struct Layers.Transition

@_exported public import struct Layouts.AbsoluteInsets
@_exported public import class Layouts.GridLayout
@_exported public import enum Layouts.GridPlacement
@_exported public import enum Layouts.GridTrack
@_exported public import enum Layouts.GridTracks
@_exported public import enum Layouts.LayoutBasis
@_exported public import struct Layouts.LayoutItem
@_exported public import enum Layouts.LayoutLength
@_exported public import enum Layouts.LayoutMargin
@_exported public import struct Layouts.LayoutMargins
@_exported public import class Layouts.StackLayout

@_exported public import class SceneText.FileWatch
@_exported public import class SceneText.Scene
@_exported public import struct SceneText.SceneError
@_exported public import class SceneText.SceneStage
@_exported public import enum SceneText.SceneStateError

@_exported public import enum Presentation.Buffering
@_exported public import struct Presentation.Cursor
@_exported public import protocol Presentation.CursorDisplay
@_exported public import protocol Presentation.Display
@_exported public import enum Presentation.DisplayEvent
@_exported public import struct Presentation.DisplayGeometry
@_exported public import enum Presentation.DisplayRotation
@_exported public import enum Presentation.DisplayState
@_exported public import class Presentation.Observation
@_exported public import class Presentation.Output
@_exported public import class Presentation.VirtualDisplay
