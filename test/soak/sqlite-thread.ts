// The thread of a SQLite store in the soak: it collects its garbage every five seconds, or the soak
// would measure when the engine does. Not a plain import: a bundler drops one of a package that
// says it has no side effects.
await import('../../packages/durable/src/sqlite/sqlite-thread.js')

setInterval(() => globalThis.gc?.(), 5000).unref()

export {}
