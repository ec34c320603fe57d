/** Characters of a stamp. */
export const stampLength = 16

const micros = (): number => Number(process.hrtime.bigint() / 1000n)

/**
 * The time on the clock that all processes of this machine share, in microseconds, as text of one
 * length.
 */
export const stamp = (): string => String(micros()).padStart(stampLength, '0')

/**
 * Adds the microseconds since each stamp of the text: a library may hand out several deltas at
 * once.
 */
export function readDelays(text: string, delays: number[]): void {
  const now = micros()
  for (let start = 0; start < text.length; start += stampLength)
    delays.push(now - Number(text.slice(start, start + stampLength)))
}
