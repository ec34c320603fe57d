// The messages of the A2A proto, one line each: field, marks, type.
// Marks: `!` REQUIRED, `?` the keyword optional, `[]` repeated, `{}` map with string keys, `|` member of the oneof of its message.
const lines = `
SendMessageConfiguration: acceptedOutputModes[]:string taskPushNotificationConfig:TaskPushNotificationConfig historyLength?:int32 returnImmediately:bool
Task: id!:string contextId:string status!:TaskStatus artifacts[]:Artifact history[]:Message metadata:Struct
TaskStatus: state!:TaskState message:Message timestamp:Timestamp
Part: text|:string raw|:bytes url|:string data|:Value metadata:Struct filename:string mediaType:string
Message: messageId!:string contextId:string taskId:string role!:Role parts![]:Part metadata:Struct extensions[]:string referenceTaskIds[]:string
Artifact: artifactId!:string name:string description:string parts![]:Part metadata:Struct extensions[]:string
TaskStatusUpdateEvent: taskId!:string contextId!:string status!:TaskStatus metadata:Struct
TaskArtifactUpdateEvent: taskId!:string contextId!:string artifact!:Artifact append:bool lastChunk:bool metadata:Struct
AuthenticationInfo: scheme!:string credentials:string
AgentInterface: url!:string protocolBinding!:string tenant:string protocolVersion!:string
AgentCard: name!:string description!:string supportedInterfaces![]:AgentInterface provider:AgentProvider version!:string documentationUrl?:string capabilities!:AgentCapabilities securitySchemes{}:SecurityScheme securityRequirements[]:SecurityRequirement defaultInputModes![]:string defaultOutputModes![]:string skills![]:AgentSkill signatures[]:AgentCardSignature iconUrl?:string
AgentProvider: url!:string organization!:string
AgentCapabilities: streaming?:bool pushNotifications?:bool extensions[]:AgentExtension extendedAgentCard?:bool
AgentExtension: uri:string description:string required:bool params:Struct
AgentSkill: id!:string name!:string description!:string tags![]:string examples[]:string inputModes[]:string outputModes[]:string securityRequirements[]:SecurityRequirement
AgentCardSignature: protected!:string signature!:string header:Struct
TaskPushNotificationConfig: tenant:string id:string taskId:string url!:string token:string authentication:AuthenticationInfo
StringList: list[]:string
SecurityRequirement: schemes{}:StringList
SecurityScheme: apiKeySecurityScheme|:APIKeySecurityScheme httpAuthSecurityScheme|:HTTPAuthSecurityScheme oauth2SecurityScheme|:OAuth2SecurityScheme openIdConnectSecurityScheme|:OpenIdConnectSecurityScheme mtlsSecurityScheme|:MutualTlsSecurityScheme
APIKeySecurityScheme: description:string location!:string name!:string
HTTPAuthSecurityScheme: description:string scheme!:string bearerFormat:string
OAuth2SecurityScheme: description:string flows!:OAuthFlows oauth2MetadataUrl:string
OpenIdConnectSecurityScheme: description:string openIdConnectUrl!:string
MutualTlsSecurityScheme: description:string
OAuthFlows: authorizationCode|:AuthorizationCodeOAuthFlow clientCredentials|:ClientCredentialsOAuthFlow implicit|:ImplicitOAuthFlow password|:PasswordOAuthFlow deviceCode|:DeviceCodeOAuthFlow
AuthorizationCodeOAuthFlow: authorizationUrl!:string tokenUrl!:string refreshUrl:string scopes!{}:string pkceRequired:bool
ClientCredentialsOAuthFlow: tokenUrl!:string refreshUrl:string scopes!{}:string
ImplicitOAuthFlow: authorizationUrl:string refreshUrl:string scopes{}:string
PasswordOAuthFlow: tokenUrl:string refreshUrl:string scopes{}:string
DeviceCodeOAuthFlow: deviceAuthorizationUrl!:string tokenUrl!:string refreshUrl:string scopes!{}:string
SendMessageRequest: tenant:string message!:Message configuration:SendMessageConfiguration metadata:Struct
GetTaskRequest: tenant:string id!:string historyLength?:int32
ListTasksRequest: tenant:string contextId:string status:TaskState pageSize?:int32 pageToken:string historyLength?:int32 statusTimestampAfter:Timestamp includeArtifacts?:bool
ListTasksResponse: tasks![]:Task nextPageToken!:string pageSize!:int32 totalSize!:int32
CancelTaskRequest: tenant:string id!:string metadata:Struct
GetTaskPushNotificationConfigRequest: tenant:string taskId!:string id!:string
DeleteTaskPushNotificationConfigRequest: tenant:string taskId!:string id!:string
SubscribeToTaskRequest: tenant:string id!:string
ListTaskPushNotificationConfigsRequest: tenant:string taskId!:string pageSize:int32 pageToken:string
GetExtendedAgentCardRequest: tenant:string
SendMessageResponse: task|:Task message|:Message
StreamResponse: task|:Task message|:Message statusUpdate|:TaskStatusUpdateEvent artifactUpdate|:TaskArtifactUpdateEvent
ListTaskPushNotificationConfigsResponse: configs[]:TaskPushNotificationConfig nextPageToken:string
`

/** One field of a proto message. */
export interface FieldShape {
  /** Its name in JSON. */
  readonly name: string
  /** Its name in the proto, which ProtoJSON parsers accept too. */
  readonly protoName: string
  readonly type: string
  readonly required: boolean
  /** True for the keyword `optional`: an explicit default value counts as set. */
  readonly optional: boolean
  readonly repeated: boolean
  readonly map: boolean
  /** True for a member of the oneof. */
  readonly oneof: boolean
}

const shapeOf = (token: string): FieldShape => {
  const [left = '', type = ''] = token.split(':')
  const [name = ''] = /^\w+/.exec(left) ?? []
  const has = (mark: string) => left.slice(name.length).includes(mark)
  return {
    name,
    protoName: name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    type,
    required: has('!'),
    optional: has('?'),
    repeated: has('[]'),
    map: has('{}'),
    oneof: has('|'),
  }
}

/** Every message of the proto by name, with its fields. */
export const shapes: ReadonlyMap<string, readonly FieldShape[]> = new Map(
  lines
    .trim()
    .split('\n')
    .map((line) => {
      const at = line.indexOf(': ')
      return [
        line.slice(0, at),
        line
          .slice(at + 2)
          .split(' ')
          .map(shapeOf),
      ] as const
    }),
)

/** The values of the proto's enums. */
export const enums: Readonly<Record<string, readonly string[]>> = {
  TaskState: [
    'TASK_STATE_UNSPECIFIED',
    'TASK_STATE_SUBMITTED',
    'TASK_STATE_WORKING',
    'TASK_STATE_COMPLETED',
    'TASK_STATE_FAILED',
    'TASK_STATE_CANCELED',
    'TASK_STATE_INPUT_REQUIRED',
    'TASK_STATE_REJECTED',
    'TASK_STATE_AUTH_REQUIRED',
  ],
  Role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
}
