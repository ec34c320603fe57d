import type { Vendor } from '../vendor.js'

/** OpenAI's APIs at a resource of Azure; the address is that of the resource. */
export const azureOpenai: Vendor = {
  name: 'azure-openai',
  title: 'Azure OpenAI',
  package: '@modelport/provider-openai',
  minimal: { baseUrl: 'https://RESOURCE.openai.azure.com' },
  aliases: ['azure'],
  baseUrlVariables: ['AZURE_OPENAI_ENDPOINT'],
  keyVariables: ['AZURE_OPENAI_API_KEY'],
  needsKey: true,
  keyUrl: 'https://ai.azure.com',
  fewestTokens: 16,
  priceList: 'azure',
  docs: 'https://learn.microsoft.com/azure/ai-foundry/openai/reference',
}
