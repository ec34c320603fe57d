/** What no provider made of a model of the AI SDK can do, with the reason: the specification has no place for it. */
export const specificationSkips: Readonly<Record<string, string>> = {
  "comments and pings keep the bytes' clock, not the reply's":
    'back-pressure: a stream has parts and no bytes, so a silent connection and one that only pings look alike, and both clocks are those of the reply',
}
