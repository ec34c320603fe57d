import { createCard } from '@modelport/agent'
import { createDirectory } from '@modelport/compat'
import { describe, expect, it } from 'vitest'

describe('a directory', () => {
  it('a directory finds agents by name, role, tag and skill', () => {
    const [weather, news] = [
      createCard({ name: 'weather', description: 'x', tags: ['sky'], skills: [{ id: 'get_weather' }] }),
      createCard({ name: 'news', description: 'x', role: 'gateway' }),
    ]
    const directory = createDirectory([weather, news])
    expect(directory.find({ skill: 'get_weather' })).toEqual([weather])
    expect(directory.find({ role: 'gateway' })).toEqual([news])
    expect(directory.find({ tag: 'sky', role: 'gateway' })).toEqual([])
    directory.unregister('news')
    directory.unregister('news')
    expect([directory.size, directory.find()]).toEqual([1, [weather]])
  })
})
