import { asText, type NamedCounts } from '@modelport/core'
import { listOf, type Sink } from '@modelport/driver'
import { type WireResponse } from './wire.js'

type Fields = Readonly<Partial<Record<string, unknown>>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** Reports what a finished response says besides its items and token counts. */
export function reportFacts(sink: Sink, response: WireResponse): void {
  sink.details({
    responseId: asText(response.id) || undefined,
    serviceTier: asText(response.service_tier) || undefined,
  })
  for (const filter of listOf(response.content_filters as readonly Fields[] | null | undefined))
    sink.safety({ subject: filter['source_type'] === 'prompt' ? 'prompt' : 'reply', data: filter })
  const { input, output } = fieldsOf(response.moderation)
  if (input) sink.safety({ subject: 'prompt', data: input })
  if (output) sink.safety({ subject: 'reply', data: output })
  const providerToolCounts = toolCounts({
    ...fieldsOf(response.tool_usage),
    ...serverSide(response.usage),
  })
  if (providerToolCounts) sink.usage({ providerToolCounts })
}

/** xAI's counts of its own tools stand in the usage. */
function serverSide(usage: unknown): Fields {
  const { num_sources_used, num_server_side_tools_used, server_side_tool_usage_details } =
    fieldsOf(usage)
  return {
    num_sources_used,
    num_server_side_tools_used,
    ...fieldsOf(server_side_tool_usage_details),
  }
}

/** The counts above zero, those of a tool's own object as `tool_count`. */
function toolCounts(fields: Fields): NamedCounts | undefined {
  const counts = Object.entries(fields).flatMap(([name, value]) =>
    typeof value === 'number'
      ? [[name, value]]
      : Object.entries(fieldsOf(value)).map(([part, count]) => [`${name}_${part}`, count]),
  )
  const entries = counts.filter(
    (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] > 0,
  )
  return entries.length ? Object.fromEntries(entries) : undefined
}
