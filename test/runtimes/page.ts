// In a browser's page, which the host serves.
import { harnesses } from './harnesses.ts'
import { runAll, sendReport } from './run-all.ts'

const full = new URLSearchParams(location.search).has('full')
try {
  await sendReport(
    location.origin,
    await runAll({ host: location.origin, runtime: navigator.userAgent, harnesses, full }),
  )
} catch (error) {
  await sendReport(location.origin, {
    failure: error instanceof Error ? (error.stack ?? String(error)) : String(error),
  })
}
