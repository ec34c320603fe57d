import '../../../../scripts/sources.mjs'
