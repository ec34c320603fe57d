import { textOf } from '@modelport/core'
import { createMock, type MockProvider } from '@modelport/provider-mock'

/**
 * Plays a model that looks at the weather and books a table. It knows only the messages, as a model
 * does, so any process can continue.
 */
export const createOfflineModel = (): MockProvider =>
  createMock({
    defaultResponse: ({ messages }) => {
      const [weather, table] = messages.flatMap(({ role, content }) =>
        role === 'tool' ? [textOf(content)] : [],
      )
      if (weather === undefined)
        return { toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }] }
      const place = weather.includes('rain') ? 'inside' : 'terrace'
      if (table === undefined) return { toolCalls: [{ name: 'book_table', arguments: { place } }] }
      return table.includes('a table for')
        ? 'It rains, so your table is inside.'
        : 'No table is booked.'
    },
  })
