// A name that was deleted is found on the pages that still name it.
import { expect, test } from 'vitest'
import { foreignNames } from './support/foreign-names.js'
import { pagesWithNames, unknownNames } from './support/page-names.js'
import { readText } from './support/repository.js'

const written = (text: string): readonly string[] =>
  unknownNames('page.md', text).map(({ line, name }) => `${line} ${name}`)

test.each(pagesWithNames())(
  '%s names in code type only exports, options, packages and commands that exist',
  (page) => {
    expect(unknownNames(page).map(({ line, name }) => `${page}:${line} ${name}`)).toEqual([])
  },
)

test('a deleted export, option, package and command are found on a page', () => {
  expect(
    written(
      [
        'Call `createNowhere(provider)`, not `createMock`,',
        'with `--no-such-option`, not `--temperature`,',
        'of `@modelport/nowhere`, not `@modelport/core`.',
        '',
        '    modelport nowhere FILE',
        '    npx @modelport/cli agent nowhere FILE',
        '    modelport complete FILE | modelport agent tasks',
      ].join('\n'),
    ),
  ).toEqual([
    '1 createNowhere',
    '2 --no-such-option',
    '3 @modelport/nowhere',
    '5 modelport nowhere',
    '6 modelport agent nowhere',
  ])
})

test('names that belong to others still stand on their pages', () => {
  const stale = Object.entries(foreignNames).flatMap(([page, owners]) =>
    owners
      .flatMap(({ names }) => names)
      .filter((name) => !readText(page).includes(name))
      .map((name) => `${page} ${name}`),
  )
  expect(stale).toEqual([])
})
