export { openFileStore } from './node/file-store.js'
export { loadPage, type ServedStudio, serveStudio } from './node/serve-studio.js'
