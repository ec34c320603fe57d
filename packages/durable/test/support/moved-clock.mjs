// Loaded before a worker process and its threads: their clock jumps. MOVED_CLOCK is "milliseconds
// after the start:offset in milliseconds".
const [after = 0, offset = 0] = (process.env['MOVED_CLOCK'] ?? '').split(':').map(Number)
const PlatformDate = Date
const beginsAt = PlatformDate.now()

globalThis.Date = class extends PlatformDate {
  constructor(...given) {
    if (given.length > 0) super(...given)
    else super(Date.now())
  }

  static now() {
    const now = PlatformDate.now()
    return now - beginsAt < after ? now : now + offset
  }
}
