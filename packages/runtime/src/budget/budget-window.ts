import { configError } from '@modelport/core'

/** How long the limits of a budget hold. `none`: they never begin anew. */
export type BudgetWindow = 'minute' | 'hour' | 'day' | 'month' | 'none'

/** Names of the windows. */
export const budgetWindows: readonly BudgetWindow[] = ['minute', 'hour', 'day', 'month', 'none']

/** From `start`, which is in it, to `end`, which is not, in milliseconds since 1970. */
export interface WindowSpan {
  readonly start: number
  readonly end: number
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const always: WindowSpan = { start: 0, end: Infinity }

const formatters = new Map<string, Intl.DateTimeFormat>()
const spans = new Map<string, WindowSpan>()

/** @throws {LlmError} `config` — there is no such time zone. */
export function checkTimeZone(where: string, timeZone: unknown): void {
  try {
    if (typeof timeZone === 'string') formatterOf(timeZone)
  } catch {
    throw configError(
      `${where}: there is no time zone ${JSON.stringify(timeZone)}; name one such as "Europe/Rome"`,
    )
  }
}

/** The window that a moment is in. Days and months begin at midnight of the time zone. */
export function spanOf(window: BudgetWindow, timeZone: string, now: number): WindowSpan {
  if (window === 'none') return always
  const name = `${window} ${timeZone}`
  const latest = spans.get(name)
  if (latest && latest.start <= now && now < latest.end) return latest
  const span = findSpan(window, timeZone, now)
  spans.set(name, span)
  return span
}

function findSpan(
  window: Exclude<BudgetWindow, 'none'>,
  timeZone: string,
  now: number,
): WindowSpan {
  if (window === 'minute') return evenSpan(now, minuteMs, 0)
  // Some zones are half an hour off.
  if (window === 'hour') return evenSpan(now, 60 * minuteMs, minutesOf(timeZone, now) * minuteMs)
  const keyOf = (at: number): number => dateKey(window, timeZone, at)
  const widest = (window === 'day' ? 2 : 33) * dayMs
  const key = keyOf(now)
  return {
    start: firstAt(now - widest, now, (at) => keyOf(at) >= key),
    end: firstAt(now, now + widest, (at) => keyOf(at) > key),
  }
}

/** @param into how far `now` is in the window, in whole minutes */
function evenSpan(now: number, length: number, into: number): WindowSpan {
  const start = now - (now % minuteMs) - into
  return { start, end: start + length }
}

/** The first moment, in milliseconds, for which it is true; it stays so. */
function firstAt(from: number, to: number, isTrue: (at: number) => boolean): number {
  let before = from
  let after = to
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (isTrue(middle)) after = middle
    else before = middle
  }
  return after
}

/** A number that grows with the day, or with the month. */
function dateKey(window: 'day' | 'month', timeZone: string, at: number): number {
  const { year = 0, month = 0, day = 0 } = partsOf(timeZone, at)
  return window === 'month' ? year * 12 + month : (year * 12 + month) * 31 + day
}

const minutesOf = (timeZone: string, at: number): number => partsOf(timeZone, at).minute ?? 0

type Parts = Partial<Record<Intl.DateTimeFormatPartTypes, number>>

const partsOf = (timeZone: string, at: number): Parts =>
  Object.fromEntries(
    formatterOf(timeZone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timeZone)
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone,
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      minute: 'numeric',
      hour: 'numeric',
      hourCycle: 'h23',
    })
    formatters.set(timeZone, formatter)
  }
  return formatter
}
