// An MCP server that asks the user of its client before it acts. It keeps nothing between two
// requests, so the answer may come tomorrow, to another process of it.
import {
  acceptedContent,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'

const question = inputRequired.elicit({
  message: 'For how many people?',
  requestedSchema: {
    type: 'object',
    properties: { people: { type: 'integer', title: 'People', minimum: 1, maximum: 8 } },
    required: ['people'],
  },
})

serveStdio(() => {
  const server = new McpServer({ name: 'tables', version: '1.0.0' })
  const inputSchema = fromJsonSchema<{ place: string }>({
    type: 'object',
    properties: { place: { type: 'string', enum: ['inside', 'terrace'] } },
    required: ['place'],
  })
  server.registerTool(
    'book_table',
    { description: 'Books a table for tonight', inputSchema },
    ({ place }, ctx) => {
      const { inputResponses } = ctx.mcpReq
      if (inputResponse(inputResponses, 'people').kind === 'missing')
        return inputRequired({ inputRequests: { people: question } })
      const accepted = acceptedContent<{ people: number }>(inputResponses, 'people')
      const text = accepted
        ? `a table for ${accepted.people}, ${place}, at 20:00`
        : 'not booked: the guest declined'
      return { content: [{ type: 'text', text }] }
    },
  )
  return server
})
