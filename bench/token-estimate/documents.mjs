// Cuts the source texts into documents of 200 bytes to 12 kB, adds generated formats, and splits
// the whole into a half to fit on and a half to test on.
import { Buffer } from 'node:buffer'
import { sourceTexts, unseenTexts } from './sources.mjs'

/** Maximum documents of one source in one category, to fit on and to test on. */
const limits = [600, 150]

/** A small seeded generator: the same documents on every run. */
const generator = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
const hash = (text) => {
  let value = 2166136261
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 16777619)
  return value >>> 0
}
const size = (random) => Math.round(200 * 60 ** random())
const bytes = (text) => Buffer.byteLength(text)

/**
 * Consecutive pieces of a text with log-uniform sizes, cut at a space or line end where one is
 * near.
 */
const cut = (text, random) => {
  const pieces = []
  const perChar = bytes(text) / text.length
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + Math.ceil(size(random) / perChar))
    const space = text.slice(to, to + 40).search(/\s/)
    if (space >= 0) to += space
    const code = text.charCodeAt(to)
    if (code >= 0xdc00 && code < 0xe000) to++
    const piece = text.slice(from, to)
    if (bytes(piece) >= 150) pieces.push(piece)
    from = to
  }
  return pieces
}

const shuffle = (items, random) => {
  for (let last = items.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1))
    ;[items[last], items[other]] = [items[other], items[last]]
  }
  return items
}

const documentsOf = (texts, [fitted, tested] = limits) => {
  const groups = Map.groupBy(
    texts,
    ({ group, category, source }) => `${group}/${category}/${source}`,
  )
  return [...groups].flatMap(([key, members]) => {
    const random = generator(hash(key))
    const documents = shuffle(members, random)
      .slice(0, 1500)
      .flatMap(({ group, category, source, file, text }) =>
        cut(text, random).map((piece, index) => {
          const place = hash(members.length > 5 ? file : `${file}#${index}`)
          return { group, category, source, text: piece, half: place % 2, fold: (place >>> 8) % 3 }
        }),
      )
    const mixed = shuffle(documents, random)
    return [
      ...mixed.filter(({ half }) => half === 0).slice(0, fitted),
      ...mixed.filter(({ half }) => half === 1).slice(0, tested),
    ]
  })
}

const characters = {
  lower: 'abcdefghijklmnopqrstuvwxyz',
  digits: '0123456789',
  hex: '0123456789abcdef',
}
characters.upper = characters.lower.toUpperCase()
characters.base64 = `${characters.upper}${characters.lower}${characters.digits}+/`
characters.base64url = `${characters.upper}${characters.lower}${characters.digits}-_`
characters.alphanumeric = `${characters.upper}${characters.lower}${characters.digits}`
const emoji = [...'😀😂🥰😎🤔👍🙏🎉🔥💡✅❌⚠️🚀📦🐛🇩🇪🇯🇵👩‍💻👨‍👩‍👧❤️✨⭐🌍🍕🎶📈💬🔒🧪']
const words = [
  'the',
  'order',
  'was',
  'sent',
  'to',
  'customer',
  'please',
  'check',
  'again',
  'thanks',
  'great',
  'work',
  'see',
  'you',
  'tomorrow',
  'connection',
  'closed',
  'request',
  'started',
  'worker',
  'queue',
  'user',
  'login',
  'failed',
  'cache',
  'miss',
  'index',
  'page',
  'value',
]

/** One line of each generated format. */
const formats = (random) => {
  const pick = (from) => from[Math.floor(random() * from.length)]
  const many = (from, count) => Array.from({ length: count }, () => pick(from)).join('')
  const number = (below) => Math.floor(random() * below)
  const pad = (value, width = 2) => String(value).padStart(width, '0')
  const uuid = () => [8, 4, 4, 4, 12].map((count) => many(characters.hex, count)).join('-')
  const time = () =>
    `20${pad(10 + number(20))}-${pad(1 + number(12))}-${pad(1 + number(28))}T${pad(number(24))}:${pad(number(60))}:${pad(number(60))}.${pad(number(1000), 3)}Z`
  const phrase = (count) => Array.from({ length: count }, () => pick(words)).join(' ')
  const address = () => `${number(256)}.${number(256)}.${number(256)}.${number(256)}`
  return {
    base64: () => many(characters.base64, 76),
    'base64 one line': () => many(characters.base64, 400),
    'data uri': () => `data:image/png;base64,${many(characters.base64, 200 + number(400))}==`,
    jwt: () =>
      `Authorization: Bearer eyJ${many(characters.base64url, 33)}.${many(characters.base64url, 120)}.${many(characters.base64url, 43)}`,
    hex: () => many(characters.hex, 64),
    'sha list': () => `${many(characters.hex, 40)}  ${pick(words)}/${pick(words)}.js`,
    uuid: uuid,
    'random lower': () => many(characters.lower, 8 + number(30)),
    'random upper': () => many(characters.upper, 8 + number(30)),
    'random alphanumeric': () => many(characters.alphanumeric, 20 + number(44)),
    'ids in json': () =>
      JSON.stringify({
        id: `call_${many(characters.alphanumeric, 24)}`,
        type: 'function',
        request_id: `req_${many(characters.alphanumeric, 20)}`,
        at: number(2e9),
      }),
    log: () =>
      `${time()} ${pick(['INFO', 'WARN', 'ERROR', 'DEBUG'])} [${pick(words)}-${number(20)}] ${phrase(3 + number(8))} id=${number(1e6)} ip=${address()} took ${number(5000)}ms`,
    'access log': () =>
      `${address()} - - [${pad(1 + number(28))}/Oct/2025:${pad(number(24))}:${pad(number(60))}:${pad(number(60))} +0000] "GET /${pick(words)}/${number(10000)}?q=${pick(words)} HTTP/1.1" ${pick([200, 304, 404, 500])} ${number(100000)} "-" "Mozilla/5.0"`,
    integers: () => Array.from({ length: 12 }, () => number(10 ** (1 + number(9)))).join(' '),
    decimals: () =>
      Array.from({ length: 8 }, () => (random() * 1000 - 300).toFixed(1 + number(6))).join(','),
    'number array': () => JSON.stringify(Array.from({ length: 16 }, () => random() - 0.5)),
    csv: () =>
      [
        number(100000),
        pick(words),
        `${pick(words)} ${pick(words)}`,
        time().slice(0, 10),
        (random() * 500).toFixed(2),
        pick(['true', 'false']),
      ].join(','),
    'emoji chat': () => `${phrase(2 + number(6))} ${many(emoji, 1 + number(3))}`,
    'emoji only': () => many(emoji, 20),
    url: () =>
      `https://${pick(words)}.example.com/${pick(words)}/${pick(words)}-${number(1000)}?utm_source=${pick(words)}&id=${many(characters.alphanumeric, 11)}`,
    table: () =>
      `| ${phrase(1)} | ${number(1000)} | ${phrase(2)} | ${'-'.repeat(3 + number(20))} |`,
    rule: () => pick(['-', '=', '*', '#', '_', '~']).repeat(10 + number(80)),
    'deep indent': () => `${' '.repeat(number(60))}${phrase(2)}${'\n'.repeat(number(3))}`,
  }
}
const generated = () =>
  Object.keys(formats(generator(1))).flatMap((category) => {
    const random = generator(hash(category))
    const line = formats(random)[category]
    return Array.from({ length: 120 }, (_, index) => {
      const target = size(random)
      let text = line()
      while (text.length < target) text += `\n${line()}`
      return {
        group: 'generated',
        category,
        source: 'generated',
        text: text.slice(0, Math.max(target, 200)),
        half: index % 2,
        fold: index % 3,
      }
    })
  })

/**
 * Every document with its group, category, source, half (0 to fit on, 1 to test on) and fold of
 * cross-validation. A file is in one half as a whole, unless its source has fewer than six files of
 * the category.
 */
export const documents = () => [...documentsOf(sourceTexts()), ...generated()]
/** Documents in languages that were left out of the fit altogether. */
export const unseenDocuments = () => documentsOf(unseenTexts(), [2, 1])
