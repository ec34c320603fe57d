// What a codec of tasks and cards is written with: the data models of other packages import it.
export { checkJsonLimits, Hydrator, type JsonLimits } from './base/hydrate.js'
export { compactObject, objectAt } from './base/json.js'
export * as cardParts from './wire/card-parts.js'
export { extensionUri } from './wire/extension.js'
export * as partContent from './wire/part-content.js'
