export default { modules: ['workflow/nitro'], plugins: ['./on-start.mjs'], logLevel: 1 }
