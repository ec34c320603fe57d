// In a worker runtime: a request to `/?host=HOST` runs the tests.
import { harnesses } from './harnesses.ts'
import { runAll, sendReport } from './run-all.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const host = query.get('host') ?? ''
    await sendReport(
      host,
      await runAll({ host, runtime: navigator.userAgent, harnesses, full: query.has('full') }),
    )
    return new Response('reported')
  },
}
