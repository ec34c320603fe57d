// In a worker runtime: a request to `/?host=HOST` runs the tests.
import { plainHarnesses } from './harnesses.ts'
import { runAll, sendReport } from './run-all.ts'

export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams
    const host = query.get('host') ?? ''
    await sendReport(host, await runAll({ host, runtime: navigator.userAgent, harnesses: plainHarnesses, full: query.has('full') }))
    return new Response('reported')
  },
}
