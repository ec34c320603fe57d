import { type Api, apiOf, vendorOf } from './apis.ts'
import { withoutExtras } from './extra-fields.ts'
import { rules } from './rules.ts'
import { isFields, type Problem, type SentRequest } from './sent-request.ts'
import { shapeProblems } from './validators.ts'

/** What a vendor would refuse of a request, and whose API it is for; nothing where the request is for no API that is known. */
export function checkRequest(
  request: SentRequest,
): { readonly api: Api; readonly problems: readonly Problem[] } | undefined {
  const api = apiOf(request)
  return api && { api, problems: problemsOf(api, request) }
}

function problemsOf(api: Api, request: SentRequest): readonly Problem[] {
  if (!isFields(request.body)) return [{ rule: 'json', path: '', message: 'the body is not a JSON object' }]
  const vendor = vendorOf(request)
  const body = withoutExtras(request, api.name, vendor)
  const wrong = shapeProblems(api.shape(request), body)
  if (wrong.length) return wrong
  return rules.flatMap((rule) =>
    rule.dialects.includes(api.dialect) && (!rule.vendors || (vendor !== undefined && rule.vendors.includes(vendor)))
      ? rule.check(request).map(({ path, message }) => ({ rule: rule.name, path, message }))
      : [],
  )
}
