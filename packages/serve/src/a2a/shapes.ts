// The messages of the A2A specification in the language of its proto. `required` stands for the
// annotation REQUIRED; numbers of fields are left out, because JSON has none. A test compares the
// text with the types of the official SDK and with the proto.
const proto = `
message SendMessageConfiguration { repeated string accepted_output_modes; TaskPushNotificationConfig task_push_notification_config;
  optional int32 history_length; bool return_immediately; }
message Task { required string id; string context_id; required TaskStatus status; repeated Artifact artifacts; repeated Message history;
  Struct metadata; }
message TaskStatus { required TaskState state; Message message; Timestamp timestamp; }
message Part { oneof { string text; bytes raw; string url; Value data; } Struct metadata; string filename; string media_type; }
message Message { required string message_id; string context_id; string task_id; required Role role; required repeated Part parts;
  Struct metadata; repeated string extensions; repeated string reference_task_ids; }
message Artifact { required string artifact_id; string name; string description; required repeated Part parts; Struct metadata;
  repeated string extensions; }
message TaskStatusUpdateEvent { required string task_id; required string context_id; required TaskStatus status; Struct metadata; }
message TaskArtifactUpdateEvent { required string task_id; required string context_id; required Artifact artifact; bool append;
  bool last_chunk; Struct metadata; }
message AuthenticationInfo { required string scheme; string credentials; }
message AgentInterface { required string url; required string protocol_binding; string tenant; required string protocol_version; }
message AgentCard { required string name; required string description; required repeated AgentInterface supported_interfaces;
  AgentProvider provider; required string version; optional string documentation_url; required AgentCapabilities capabilities;
  map<string, SecurityScheme> security_schemes; repeated SecurityRequirement security_requirements;
  required repeated string default_input_modes; required repeated string default_output_modes; required repeated AgentSkill skills;
  repeated AgentCardSignature signatures; optional string icon_url; }
message AgentProvider { required string url; required string organization; }
message AgentCapabilities { optional bool streaming; optional bool push_notifications; repeated AgentExtension extensions;
  optional bool extended_agent_card; }
message AgentExtension { string uri; string description; bool required; Struct params; }
message AgentSkill { required string id; required string name; required string description; required repeated string tags;
  repeated string examples; repeated string input_modes; repeated string output_modes; repeated SecurityRequirement security_requirements; }
message AgentCardSignature { required string protected; required string signature; Struct header; }
message TaskPushNotificationConfig { string tenant; string id; string task_id; required string url; string token;
  AuthenticationInfo authentication; }
message StringList { repeated string list; }
message SecurityRequirement { map<string, StringList> schemes; }
message SecurityScheme { oneof { APIKeySecurityScheme api_key_security_scheme; HTTPAuthSecurityScheme http_auth_security_scheme;
  OAuth2SecurityScheme oauth2_security_scheme; OpenIdConnectSecurityScheme open_id_connect_security_scheme;
  MutualTlsSecurityScheme mtls_security_scheme; } }
message APIKeySecurityScheme { string description; required string location; required string name; }
message HTTPAuthSecurityScheme { string description; required string scheme; string bearer_format; }
message OAuth2SecurityScheme { string description; required OAuthFlows flows; string oauth2_metadata_url; }
message OpenIdConnectSecurityScheme { string description; required string open_id_connect_url; }
message MutualTlsSecurityScheme { string description; }
message OAuthFlows { oneof { AuthorizationCodeOAuthFlow authorization_code; ClientCredentialsOAuthFlow client_credentials;
  ImplicitOAuthFlow implicit; PasswordOAuthFlow password; DeviceCodeOAuthFlow device_code; } }
message AuthorizationCodeOAuthFlow { required string authorization_url; required string token_url; string refresh_url;
  required map<string, string> scopes; bool pkce_required; }
message ClientCredentialsOAuthFlow { required string token_url; string refresh_url; required map<string, string> scopes; }
message ImplicitOAuthFlow { string authorization_url; string refresh_url; map<string, string> scopes; }
message PasswordOAuthFlow { string token_url; string refresh_url; map<string, string> scopes; }
message DeviceCodeOAuthFlow { required string device_authorization_url; required string token_url; string refresh_url;
  required map<string, string> scopes; }
message SendMessageRequest { string tenant; required Message message; SendMessageConfiguration configuration; Struct metadata; }
message GetTaskRequest { string tenant; required string id; optional int32 history_length; }
message ListTasksRequest { string tenant; string context_id; TaskState status; optional int32 page_size; string page_token;
  optional int32 history_length; Timestamp status_timestamp_after; optional bool include_artifacts; }
message ListTasksResponse { required repeated Task tasks; required string next_page_token; required int32 page_size;
  required int32 total_size; }
message CancelTaskRequest { string tenant; required string id; Struct metadata; }
message GetTaskPushNotificationConfigRequest { string tenant; required string task_id; required string id; }
message DeleteTaskPushNotificationConfigRequest { string tenant; required string task_id; required string id; }
message SubscribeToTaskRequest { string tenant; required string id; }
message ListTaskPushNotificationConfigsRequest { string tenant; required string task_id; int32 page_size; string page_token; }
message GetExtendedAgentCardRequest { string tenant; }
message SendMessageResponse { oneof { Task task; Message message; } }
message StreamResponse { oneof { Task task; Message message; TaskStatusUpdateEvent status_update;
  TaskArtifactUpdateEvent artifact_update; } }
message ListTaskPushNotificationConfigsResponse { repeated TaskPushNotificationConfig configs; string next_page_token; }
enum TaskState { TASK_STATE_UNSPECIFIED; TASK_STATE_SUBMITTED; TASK_STATE_WORKING; TASK_STATE_COMPLETED; TASK_STATE_FAILED;
  TASK_STATE_CANCELED; TASK_STATE_INPUT_REQUIRED; TASK_STATE_REJECTED; TASK_STATE_AUTH_REQUIRED; }
enum Role { ROLE_UNSPECIFIED; ROLE_USER; ROLE_AGENT; }
`

/** One field of a proto message. */
export interface FieldShape {
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

const toJsonName = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Reads the fields of a body, whose oneof comes first. */
const fieldsOf = (body: string): readonly FieldShape[] =>
  body.split(';').flatMap((text, index, all) => {
    const words: string[] = text.replaceAll(/oneof \{|map<string,|[}>]/g, ' ').match(/\w+/g) ?? []
    const [type = '', protoName = ''] = words.splice(-2)
    if (protoName === '') return []
    return {
      name: toJsonName(protoName),
      protoName,
      type,
      required: words.includes('required'),
      optional: words.includes('optional'),
      repeated: words.includes('repeated'),
      map: text.includes('map<'),
      oneof: body.includes('}') && all.slice(0, index + 1).every((before) => !before.includes('}')),
    }
  })

const declared = (kind: string) =>
  proto.matchAll(new RegExp(`^${kind} (\\w+) \\{([^]*?)\\}$`, 'gm'))

/** Every message of the proto by name, with its fields. */
export const shapes: ReadonlyMap<string, readonly FieldShape[]> = new Map(
  Array.from(declared('message'), ([, name = '', body = '']) => [name, fieldsOf(body)]),
)

/** The values of the proto's enums. */
export const enums: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Array.from(declared('enum'), ([, name = '', body = '']) => [name, body.match(/\w+/g) ?? []]),
)
