--
-- PostgreSQL database dump
--


-- Dumped from database version 15.18 (Debian 15.18-0+deb12u1)
-- Dumped by pg_dump version 15.18 (Debian 15.18-0+deb12u1)

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

--
-- Name: stored_forms; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA stored_forms;


--
-- Name: expect_count(bigint, bigint, integer); Type: FUNCTION; Schema: stored_forms; Owner: -
--

CREATE FUNCTION stored_forms.expect_count(counted bigint, expected bigint, statement integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
  BEGIN
    IF counted <> expected THEN RAISE EXCEPTION '%', statement USING ERRCODE = 'MP001'; END IF;
    RETURN NULL;
  END $$;


--
-- Name: expect_mark(bigint); Type: FUNCTION; Schema: stored_forms; Owner: -
--

CREATE FUNCTION stored_forms.expect_mark(counted bigint) RETURNS integer
    LANGUAGE plpgsql
    AS $$
  BEGIN
    IF counted <> 1 THEN RAISE EXCEPTION 'taken' USING ERRCODE = 'MP002'; END IF;
    RETURN NULL;
  END $$;


SET default_tablespace = '';

SET default_table_access_method = heap;

--
-- Name: budgets; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.budgets (
    id text NOT NULL,
    owner text NOT NULL,
    span text NOT NULL,
    zone text NOT NULL,
    author text NOT NULL,
    cost bigint,
    tokens bigint,
    calls bigint,
    start bigint NOT NULL,
    usedcost bigint NOT NULL,
    usedtokens bigint NOT NULL,
    usedcalls bigint NOT NULL,
    addcost bigint NOT NULL,
    addtokens bigint NOT NULL,
    addcalls bigint NOT NULL,
    revision bigint NOT NULL
);


--
-- Name: commits; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.commits (
    writer text NOT NULL,
    counted bigint NOT NULL,
    at bigint NOT NULL
);


--
-- Name: documents; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.documents (
    kind text NOT NULL,
    id text NOT NULL,
    owner text NOT NULL,
    sort bigint NOT NULL,
    body text NOT NULL
);


--
-- Name: entries; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.entries (
    log text NOT NULL,
    seq bigint NOT NULL,
    kind text NOT NULL,
    body text NOT NULL
);


--
-- Name: inbox; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.inbox (
    id text NOT NULL,
    run text NOT NULL,
    about bigint NOT NULL,
    at bigint NOT NULL,
    body text NOT NULL
);


--
-- Name: logs; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.logs (
    id text NOT NULL,
    seq bigint NOT NULL,
    kept bigint NOT NULL
);


--
-- Name: meta; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.meta (
    name text NOT NULL,
    value bigint NOT NULL,
    text text
);


--
-- Name: outbox; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.outbox (
    id text NOT NULL,
    stream text NOT NULL,
    seq bigint NOT NULL,
    body text NOT NULL,
    due bigint NOT NULL,
    tries bigint NOT NULL,
    held bigint NOT NULL,
    dead bigint NOT NULL,
    agent text
);


--
-- Name: reservations; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.reservations (
    id text NOT NULL,
    budget text NOT NULL,
    start bigint NOT NULL,
    cost bigint NOT NULL,
    tokens bigint NOT NULL,
    calls bigint NOT NULL,
    at bigint NOT NULL
);


--
-- Name: runs; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.runs (
    id text NOT NULL,
    queue text NOT NULL,
    version text NOT NULL,
    status text NOT NULL,
    holder text,
    epoch bigint NOT NULL,
    due bigint,
    phase bigint NOT NULL,
    alone bigint NOT NULL,
    crashes bigint NOT NULL,
    tries bigint NOT NULL,
    progress bigint NOT NULL,
    checks bigint NOT NULL,
    mark bigint NOT NULL,
    journal bigint NOT NULL,
    transcript bigint NOT NULL,
    events bigint NOT NULL,
    mail bigint NOT NULL,
    accepts bigint NOT NULL,
    trimmed bigint NOT NULL,
    fingerprint text NOT NULL,
    input text,
    checkpoint text,
    result text,
    cancel text,
    created bigint NOT NULL,
    updated bigint NOT NULL
);


--
-- Name: sessions; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.sessions (
    name text NOT NULL,
    principal text NOT NULL,
    agent text NOT NULL,
    id text NOT NULL,
    start bigint NOT NULL,
    generation text NOT NULL,
    places bigint NOT NULL,
    turn text,
    until bigint
);


--
-- Name: tasks; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.tasks (
    id text NOT NULL,
    principal text NOT NULL,
    agent text NOT NULL,
    session text NOT NULL,
    state text NOT NULL,
    at bigint NOT NULL,
    record text NOT NULL,
    generation text NOT NULL,
    place bigint
);


--
-- Name: waits; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.waits (
    id text NOT NULL,
    budget text NOT NULL,
    place bigint NOT NULL,
    until bigint NOT NULL
);


--
-- Name: workers; Type: TABLE; Schema: stored_forms; Owner: -
--

CREATE TABLE stored_forms.workers (
    id text NOT NULL,
    queues text NOT NULL,
    seen bigint NOT NULL
);


--
-- Data for Name: budgets; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.budgets VALUES ('none ada', 'ada', 'none', 'UTC', 'program', NULL, NULL, 100, 0, 0, 163, 2, 0, 0, 0, 1);


--
-- Data for Name: commits; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.commits VALUES ('4d491344-5533-4003-be14-8db55b18bdc4/1', 35, 1796037472370);


--
-- Data for Name: documents; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.documents VALUES ('message', '["ada","clerk","msg_20261130111752_f79a850ed0e50d18f79d4a4b10fa9bc5"]', 'task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 0, '{"taskId":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78","digest":"19omwfdny9p-27qkk3re19w"}');
INSERT INTO stored_forms.documents VALUES ('message', '["ada","clerk","msg_20261130111752_68c2578a7426474f30c07d246e523ba4"]', 'task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 0, '{"taskId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5","digest":"25bg02l34ak-3v55e04f3z"}');


--
-- Data for Name: entries; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.entries VALUES ('transcript:finished', 1, 'message', '{"role":"user","content":"Pay invoice 1."}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 1, 'step-start', '{"runId":"","step":1,"at":1796037471944}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 2, 'context-prepared', '{"provider":"mock","model":"mock","manifest":{"runId":"finished","step":1,"provider":"mock","model":"mock","systemTokens":0,"toolPromptTokens":43,"historyTokens":0,"userTokens":15,"totalEstimatedTokens":58,"cachedTokens":0,"blocks":[{"index":0,"kind":"tool","origin":"tools","name":"pay","tokens":43,"hash":"399cc6d294b3d6d61efb20f4e04d8b28b749007096f0840fb763a88f4726e726","cached":false},{"index":1,"kind":"user","origin":"query","tokens":15,"hash":"2458db1ba9603b7bf9e4133ad2aa0cbfd6f40925a50d7746b2c36486bbef694e","cached":false}]},"runId":"","step":1,"at":1796037471944}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 1, 'intent model', '{"provider":"mock","model":"mock","inputTokens":58,"maxOutputTokens":4096,"charge":{"id":"110239120907330846179967739361921553270","owners":[{"owner":"ada","limits":[{"window":"none","maxCalls":100}]}],"amounts":{"calls":1,"tokens":4154},"waitMs":10000},"key":"/1/model/0","runId":"","step":1,"attempt":1,"at":1796037471987,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":43.6,"warned":[],"run":"finished"}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 3, 'model-call-start', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"same":2},"runId":"","step":1,"at":1796037472003}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 4, 'tool-call-delta', '{"callId":"call-1","text":"{\"invoice\":\"1\"}","attempt":1,"runId":"","step":1,"at":1796037472004}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 2, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-1","name":"pay","arguments":{"invoice":"1"},"argumentsText":"{\"invoice\":\"1\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":9.88,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"settlement":{"id":"110239120907330846179967739361921553270","amounts":{"calls":1,"tokens":66}},"key":"/1/model/0","at":1796037472013,"seq":4,"budget":{"elapsedMs":69.88,"spent":{"calls":1,"inputTokens":58,"outputTokens":8}}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 5, 'model-call-end', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":9.88,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"","finishReason":"tool-calls","budget":{"calls":1,"inputTokens":58,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0,"runtimeMs":69.92},"runId":"","step":1,"at":1796037472013}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 6, 'action-requested', '{"actionId":"call-1","action":{"type":"tool_call","tool":"pay","args":{"invoice":"1"}},"runId":"","step":1,"at":1796037472013}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 3, 'intent tool', '{"callId":"call-1","action":{"type":"tool_call","tool":"pay","args":{"invoice":"1"}},"idempotencyKey":"/pay/dbea038308bfd671/0","effect":"once","key":"/1/tool/0","at":1796037472014,"seq":6,"budget":{"elapsedMs":70.53,"spent":{"toolCalls":1}}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 7, 'tool-start', '{"actionId":"call-1","tool":"pay","args":{"invoice":"1"},"runId":"","step":1,"at":1796037472019}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 4, 'receipt tool', '{"callId":"call-1","outcome":{"status":"ok","content":"paid","latencyMs":5.737025999999787},"key":"/1/tool/0","at":1796037472019,"seq":7,"budget":{"elapsedMs":75.97}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 8, 'tool-result', '{"actionId":"call-1","tool":"pay","args":{"invoice":"1"},"latencyMs":5.737025999999787,"result":"paid","runId":"","step":1,"at":1796037472019}');
INSERT INTO stored_forms.entries VALUES ('transcript:finished', 2, 'message', '{"role":"assistant","content":"","toolCalls":[{"id":"call-1","name":"pay","arguments":{"invoice":"1"},"argumentsText":"{\"invoice\":\"1\"}"}],"origin":{"provider":"mock","model":"mock"}}');
INSERT INTO stored_forms.entries VALUES ('transcript:finished', 3, 'message', '{"role":"tool","toolCallId":"call-1","toolName":"pay","content":"paid"}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 9, 'step-start', '{"runId":"","step":2,"at":1796037472020}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 10, 'context-prepared', '{"provider":"mock","model":"mock","manifest":{"historyTokens":34,"totalEstimatedTokens":92,"cachedTokens":58,"since":2,"parts":[[0,2],{"index":2,"kind":"assistant","origin":"history","name":"mock/mock","tokens":22,"hash":"bb88a303618ebc5d32f021411f8ab1fe60fd77cf8f216331bc9bc42738b8e3d3"},{"index":3,"kind":"tool-result","origin":"history","name":"pay","tokens":12,"hash":"aac00cda38f94546d7dd6a900fc956b55c54bd7b8d26194cf25899ce071a7ea6"}],"cached":2},"runId":"","step":2,"at":1796037472020}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 5, 'intent model', '{"provider":"mock","model":"mock","inputTokens":92,"maxOutputTokens":4096,"charge":{"id":"177963678998244874528176911966687796404","owners":[{"owner":"ada","limits":[{"window":"none","maxCalls":100}]}],"amounts":{"calls":1,"tokens":4188},"waitMs":10000},"key":"/2/model/0","runId":"","step":2,"attempt":1,"at":1796037472095,"seq":10,"budget":{"spent":{"calls":1,"inputTokens":58,"outputTokens":8,"toolCalls":1,"steps":2,"cost":0},"elapsedMs":151.89,"warned":[],"run":"finished"}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 11, 'model-call-start', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"same":10},"runId":"","step":2,"at":1796037472118}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 12, 'text-delta', '{"text":"It ","attempt":1,"runId":"","step":2,"at":1796037472119}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 13, 'text-delta', '{"text":"is ","attempt":1,"runId":"","step":2,"at":1796037472119}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 14, 'text-delta', '{"text":"pai","attempt":1,"runId":"","step":2,"at":1796037472119}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 15, 'text-delta', '{"text":"d.","attempt":1,"runId":"","step":2,"at":1796037472119}');
INSERT INTO stored_forms.entries VALUES ('journal:finished', 6, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"It is paid.","origin":{"provider":"mock","model":"mock"}},"finishReason":"stop","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.07,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"settlement":{"id":"177963678998244874528176911966687796404","amounts":{"calls":1,"tokens":97}},"key":"/2/model/0","at":1796037472119,"seq":15,"budget":{"elapsedMs":176.15,"spent":{"calls":2,"inputTokens":150,"outputTokens":13}}}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 16, 'model-call-end', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":1.07,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"It is paid.","finishReason":"stop","budget":{"calls":2,"inputTokens":150,"outputTokens":13,"toolCalls":1,"steps":2,"cost":0,"runtimeMs":176.2},"runId":"","step":2,"at":1796037472120}');
INSERT INTO stored_forms.entries VALUES ('run:finished', 17, 'final', '{"action":{"type":"final","content":"It is paid."},"runId":"","step":2,"at":1796037472120}');
INSERT INTO stored_forms.entries VALUES ('transcript:finished', 4, 'message', '{"role":"assistant","content":"It is paid.","origin":{"provider":"mock","model":"mock"}}');
INSERT INTO stored_forms.entries VALUES ('transcript:waiting', 1, 'message', '{"role":"user","content":"Pay invoice 2."}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 1, 'step-start', '{"runId":"","step":1,"at":1796037472156}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 2, 'context-prepared', '{"provider":"mock","model":"mock","manifest":{"runId":"waiting","step":1,"provider":"mock","model":"mock","systemTokens":14,"toolPromptTokens":43,"historyTokens":0,"userTokens":15,"totalEstimatedTokens":72,"cachedTokens":0,"blocks":[{"index":0,"kind":"tool","origin":"tools","name":"pay","tokens":43,"hash":"399cc6d294b3d6d61efb20f4e04d8b28b749007096f0840fb763a88f4726e726","cached":false},{"index":1,"kind":"system","origin":"system","tokens":14,"hash":"31b98b17195ab268bf39236a5c44be97a27cf4d94f2469709e2559d981c8b203","cached":false},{"index":2,"kind":"user","origin":"query","tokens":15,"hash":"89aa2e9ccd675cbde881e57b2bdea792daefd97a69eac55b808471359feeb6e3","cached":false}]},"runId":"","step":1,"at":1796037472156}');
INSERT INTO stored_forms.entries VALUES ('journal:waiting', 1, 'intent model', '{"provider":"mock","model":"mock","inputTokens":72,"maxOutputTokens":4096,"key":"/1/model/0","runId":"","step":1,"attempt":1,"at":1796037472156,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":1.08,"warned":[],"run":"waiting"}}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 3, 'model-call-start', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"same":2},"runId":"","step":1,"at":1796037472163}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 4, 'tool-call-delta', '{"callId":"call-2","text":"{\"invoice\":\"2\"}","attempt":1,"runId":"","step":1,"at":1796037472164}');
INSERT INTO stored_forms.entries VALUES ('journal:waiting', 2, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-2","name":"pay","arguments":{"invoice":"2"},"argumentsText":"{\"invoice\":\"2\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"/1/model/0","at":1796037472164,"seq":4,"budget":{"elapsedMs":9.08,"spent":{"calls":1,"inputTokens":72,"outputTokens":8}}}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 5, 'model-call-end', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"","finishReason":"tool-calls","budget":{"calls":1,"inputTokens":72,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0,"runtimeMs":9.14},"runId":"","step":1,"at":1796037472164}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 6, 'action-requested', '{"actionId":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"runId":"","step":1,"at":1796037472165}');
INSERT INTO stored_forms.entries VALUES ('journal:waiting', 3, 'intent authorization', '{"callId":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"key":"/1/authorization/0","at":1796037472165,"seq":6,"budget":{"elapsedMs":9.47}}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 7, 'policy-decision', '{"actionId":"call-2","effect":"require-approval","reason":"it moves money","runId":"","step":1,"at":1796037472165}');
INSERT INTO stored_forms.entries VALUES ('journal:waiting', 4, 'receipt authorization', '{"callId":"call-2","decision":{"effect":"require-approval","reason":"it moves money"},"key":"/1/authorization/0","at":1796037472165,"seq":7,"budget":{"elapsedMs":9.64}}');
INSERT INTO stored_forms.entries VALUES ('run:waiting', 8, 'run-suspended', '{"pending":[{"type":"approval","id":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"digest":"88feccf7590f051d10d62dfa09bcb9bb6ee2e35936977f55ae2289b8a2a82e74","reason":"it moves money"}],"runId":"","step":1,"at":1796037472165}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 1, 'status', '{"type":"status","state":"submitted","at":"2026-11-30T11:17:52.182Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 2, 'message', '{"type":"message","message":{"id":"msg_20261130111752_f79a850ed0e50d18f79d4a4b10fa9bc5","role":"user","parts":[{"type":"text","content":"What do you know?"}],"timestamp":"2026-11-30T11:17:52.176Z"},"at":"2026-11-30T11:17:52.182Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 3, 'status', '{"type":"status","state":"working","at":"2026-11-30T11:17:52.241Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 1, 'intent model', '{"provider":"mock","model":"mock","inputTokens":59,"maxOutputTokens":4096,"key":"/.1/1/model/0","runId":".1","step":1,"attempt":1,"at":1796037472248,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":0.68,"warned":[],"run":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78.1"}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 4, 'run', '{"event":{"type":"step-start","runId":".1","step":1,"seq":1,"at":1796037472247}}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 2, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"I know 1 messages of yours.","origin":{"provider":"mock","model":"mock"}},"finishReason":"stop","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"/.1/1/model/0","at":1796037472260,"seq":12,"budget":{"elapsedMs":12.69,"spent":{"calls":1,"inputTokens":59,"outputTokens":11}}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 5, 'run', '{"event":{"type":"model-call-start","provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"runId":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78.1","step":1,"agentName":"clerk","provider":"mock","model":"mock","systemTokens":0,"toolPromptTokens":43,"historyTokens":0,"userTokens":16,"totalEstimatedTokens":59,"cachedTokens":0,"blocks":[{"index":0,"kind":"tool","origin":"tools","name":"pay","tokens":43,"hash":"399cc6d294b3d6d61efb20f4e04d8b28b749007096f0840fb763a88f4726e726","cached":false},{"index":1,"kind":"user","origin":"query","tokens":16,"hash":"8c62a8b9608bf14155b2fa862bcbf3bdee16e21f5a421c029d0c185fe8e26e22","cached":false}]},"runId":".1","step":1,"seq":3,"at":1796037472258}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 6, 'text-delta', '{"type":"text-delta","text":"I k","first":true,"runSeq":4,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 7, 'text-delta', '{"type":"text-delta","text":"now","runSeq":5,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 8, 'text-delta', '{"type":"text-delta","text":" 1 ","runSeq":6,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 9, 'text-delta', '{"type":"text-delta","text":"mes","runSeq":7,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 10, 'text-delta', '{"type":"text-delta","text":"sag","runSeq":8,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 11, 'text-delta', '{"type":"text-delta","text":"es ","runSeq":9,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 12, 'text-delta', '{"type":"text-delta","text":"of ","runSeq":10,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 13, 'text-delta', '{"type":"text-delta","text":"you","runSeq":11,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 14, 'text-delta', '{"type":"text-delta","text":"rs.","runSeq":12,"at":"2026-11-30T11:17:52.259Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 15, 'run', '{"event":{"type":"model-call-end","provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"I know 1 messages of yours.","finishReason":"stop","budget":{"calls":1,"inputTokens":59,"outputTokens":11,"toolCalls":0,"steps":1,"cost":0,"runtimeMs":12.72},"runId":".1","step":1,"seq":13,"at":1796037472260}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 16, 'run', '{"event":{"type":"final","action":{"type":"final","content":"I know 1 messages of yours."},"runId":".1","step":1,"seq":14,"at":1796037472260}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 17, 'usage', '{"type":"usage","usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"at":"2026-11-30T11:17:52.273Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 18, 'artifact', '{"type":"artifact","artifact":{"id":"answer","metadata":{},"timestamp":"2026-11-30T11:17:52.260Z","kind":"answer","parts":[{"type":"text","content":"I know 1 messages of yours."}]},"last":true,"at":"2026-11-30T11:17:52.273Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 19, 'message', '{"type":"message","message":{"id":"msg_20261130111752_f39e1336d38a8e2f504edab1ba4799a1","role":"agent","parts":[{"type":"text","content":"I know 1 messages of yours."}],"timestamp":"2026-11-30T11:17:52.260Z"},"at":"2026-11-30T11:17:52.273Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 20, 'status', '{"type":"status","state":"completed","at":"2026-11-30T11:17:52.273Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('session:["ada","clerk","books"]', 1, 'messages', '{"type":"messages","taskId":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78","messages":[{"role":"user","content":"What do you know?"},{"role":"assistant","content":"I know 1 messages of yours.","origin":{"provider":"mock","model":"mock"}}],"at":"2026-11-30T11:17:52.273Z"}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 1, 'status', '{"type":"status","state":"submitted","at":"2026-11-30T11:17:52.290Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 2, 'message', '{"type":"message","message":{"id":"msg_20261130111752_68c2578a7426474f30c07d246e523ba4","role":"user","parts":[{"type":"text","content":"Pay invoice 4."}],"timestamp":"2026-11-30T11:17:52.287Z"},"at":"2026-11-30T11:17:52.290Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 3, 'status', '{"type":"status","state":"working","at":"2026-11-30T11:17:52.313Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('transcript:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 1, 'message', '{"role":"user","content":"What do you know?"}');
INSERT INTO stored_forms.entries VALUES ('transcript:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 2, 'message', '{"role":"assistant","content":"I know 1 messages of yours.","origin":{"provider":"mock","model":"mock"}}');
INSERT INTO stored_forms.entries VALUES ('transcript:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 3, 'message', '{"role":"user","content":"Pay invoice 4."}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 1, 'intent model', '{"provider":"mock","model":"mock","inputTokens":93,"maxOutputTokens":4096,"key":"/.1/1/model/0","runId":".1","step":1,"attempt":1,"at":1796037472322,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":5.29,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 4, 'run', '{"event":{"type":"step-start","runId":".1","step":1,"seq":1,"at":1796037472322}}');
INSERT INTO stored_forms.entries VALUES ('journal:interrupted', 2, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-3","name":"pay","arguments":{"invoice":"3"},"argumentsText":"{\"invoice\":\"3\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":0.67,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"/1/model/0","at":1796037472368,"seq":4,"budget":{"elapsedMs":2.81,"spent":{"calls":1,"inputTokens":58,"outputTokens":8}}}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 2, 'receipt model', '{"reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-4","name":"pay","arguments":{"invoice":"4"},"argumentsText":"{\"invoice\":\"4\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.02,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"/.1/1/model/0","at":1796037472326,"seq":4,"budget":{"elapsedMs":8.76,"spent":{"calls":1,"inputTokens":93,"outputTokens":8}}}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 3, 'intent authorization', '{"callId":"call-4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"key":"/.1/1/authorization/0","at":1796037472326,"seq":6,"budget":{"elapsedMs":8.96}}');
INSERT INTO stored_forms.entries VALUES ('journal:task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 4, 'receipt authorization', '{"callId":"call-4","decision":{"effect":"require-approval","reason":"tool.pay needs approval"},"key":"/.1/1/authorization/0","at":1796037472326,"seq":7,"budget":{"elapsedMs":9.07}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 5, 'run', '{"event":{"type":"model-call-start","provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"agentName":"clerk","provider":"mock","model":"mock","systemTokens":0,"toolPromptTokens":43,"historyTokens":35,"userTokens":15,"totalEstimatedTokens":93,"cachedTokens":0,"blocks":[{"index":0,"kind":"tool","origin":"tools","name":"pay","tokens":43,"hash":"399cc6d294b3d6d61efb20f4e04d8b28b749007096f0840fb763a88f4726e726","cached":false},{"index":1,"kind":"user","origin":"history","tokens":16,"hash":"8c62a8b9608bf14155b2fa862bcbf3bdee16e21f5a421c029d0c185fe8e26e22","cached":false},{"index":2,"kind":"assistant","origin":"history","name":"mock/mock","tokens":19,"hash":"8a8086080492e5c46bad105059550e6e52e720d42d4eb2a277f73749f21008d9","cached":false},{"index":3,"kind":"user","origin":"query","tokens":15,"hash":"761fe826a020846469a8c840dd57197d58fa5c8e208af018fd2d2c752f0581e8","cached":false}]},"runId":".1","step":1,"seq":3,"at":1796037472325}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 6, 'run', '{"event":{"type":"model-call-end","provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":1.02,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"","finishReason":"tool-calls","budget":{"calls":1,"inputTokens":93,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0,"runtimeMs":8.79},"runId":".1","step":1,"seq":5,"at":1796037472326}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 7, 'run', '{"event":{"type":"action-requested","actionId":"call-4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"runId":".1","step":1,"seq":6,"at":1796037472326}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 8, 'run', '{"event":{"type":"policy-decision","actionId":"call-4","effect":"require-approval","reason":"tool.pay needs approval","runId":".1","step":1,"seq":7,"at":1796037472326}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 9, 'run', '{"event":{"type":"run-suspended","pending":[{"type":"approval","id":"call-4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"digest":"0a65cbaac91062d1d1b8ed48ee1827f3a06be5393031399220534bc3b647b618","reason":"tool.pay needs approval"}],"runId":".1","step":1,"seq":8,"at":1796037472326}}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 10, 'usage', '{"type":"usage","usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"at":"2026-11-30T11:17:52.330Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 11, 'checkpoint', '{"type":"checkpoint","checkpoint":{"version":1,"kind":"run","requests":[{"requestId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1:call-4","callId":"call-4","runDigest":"0a65cbaac91062d1d1b8ed48ee1827f3a06be5393031399220534bc3b647b618","digest":"97d14e6c8796f45886c35bfd565df44ff3ed81b703bc6b6ea23cb5dca4fe85d4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"reason":"tool.pay needs approval"}],"asked":{"runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"seq":8},"known":2},"at":"2026-11-30T11:17:52.330Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 12, 'status', '{"type":"status","state":"input-required","message":{"id":"msg_20261130111752_4e052a64849258785042a41d18b5b3d8","role":"agent","parts":[{"type":"text","content":"Approval needed: the tool pay"},{"type":"request","content":{"requestId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1:call-4","digest":"97d14e6c8796f45886c35bfd565df44ff3ed81b703bc6b6ea23cb5dca4fe85d4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"reason":"tool.pay needs approval"}}],"timestamp":"2026-11-30T11:17:52.327Z"},"at":"2026-11-30T11:17:52.330Z","attempt":1}');
INSERT INTO stored_forms.entries VALUES ('transcript:interrupted', 1, 'message', '{"role":"user","content":"Pay invoice 3."}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 1, 'step-start', '{"runId":"","step":1,"at":1796037472365}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 2, 'context-prepared', '{"provider":"mock","model":"mock","manifest":{"runId":"interrupted","step":1,"provider":"mock","model":"mock","systemTokens":0,"toolPromptTokens":43,"historyTokens":0,"userTokens":15,"totalEstimatedTokens":58,"cachedTokens":0,"blocks":[{"index":0,"kind":"tool","origin":"tools","name":"pay","tokens":43,"hash":"399cc6d294b3d6d61efb20f4e04d8b28b749007096f0840fb763a88f4726e726","cached":false},{"index":1,"kind":"user","origin":"query","tokens":15,"hash":"eca82729c410071ecb90e801aca3c5fdee3d0f82557ade37ca71d4da5bfa7be8","cached":false}]},"runId":"","step":1,"at":1796037472365}');
INSERT INTO stored_forms.entries VALUES ('journal:interrupted', 1, 'intent model', '{"provider":"mock","model":"mock","inputTokens":58,"maxOutputTokens":4096,"key":"/1/model/0","runId":"","step":1,"attempt":1,"at":1796037472365,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":0.49,"warned":[],"run":"interrupted"}}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 3, 'model-call-start', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"manifest":{"same":2},"runId":"","step":1,"at":1796037472367}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 4, 'tool-call-delta', '{"callId":"call-3","text":"{\"invoice\":\"3\"}","attempt":1,"runId":"","step":1,"at":1796037472367}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 5, 'model-call-end', '{"provider":"mock","model":"mock","attempt":1,"streaming":true,"native":true,"metrics":{"provider":"mock","model":"mock","latencyMs":0.67,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},"text":"","finishReason":"tool-calls","budget":{"calls":1,"inputTokens":58,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0,"runtimeMs":2.9},"runId":"","step":1,"at":1796037472368}');
INSERT INTO stored_forms.entries VALUES ('run:interrupted', 6, 'action-requested', '{"actionId":"call-3","action":{"type":"tool_call","tool":"pay","args":{"invoice":"3"}},"runId":"","step":1,"at":1796037472368}');
INSERT INTO stored_forms.entries VALUES ('journal:interrupted', 3, 'intent tool', '{"callId":"call-3","action":{"type":"tool_call","tool":"pay","args":{"invoice":"3"}},"idempotencyKey":"/pay/08b17e6ef77928ac/0","effect":"once","key":"/1/tool/0","at":1796037472368,"seq":6,"budget":{"elapsedMs":3.49,"spent":{"toolCalls":1}}}');


--
-- Data for Name: inbox; Type: TABLE DATA; Schema: stored_forms; Owner: -
--



--
-- Data for Name: logs; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.logs VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 20, 0);
INSERT INTO stored_forms.logs VALUES ('session:["ada","clerk","books"]', 1, 0);
INSERT INTO stored_forms.logs VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 12, 0);


--
-- Data for Name: meta; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.meta VALUES ('schema', 8, NULL);
INSERT INTO stored_forms.meta VALUES ('key', 0, '');


--
-- Data for Name: outbox; Type: TABLE DATA; Schema: stored_forms; Owner: -
--



--
-- Data for Name: reservations; Type: TABLE DATA; Schema: stored_forms; Owner: -
--



--
-- Data for Name: runs; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.runs VALUES ('finished', '', '', 'finished', NULL, 1, NULL, 1, 0, 0, 0, 0, 2, 4, 6, 4, 17, 0, 0, 0, 'null', NULL, '{"version":1,"runId":"finished","phase":"step","step":1,"formatLevel":0,"compacted":false,"requests":1,"attempt":1,"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"text":"","totals":{"modelCalls":1,"executedActions":1,"failedActions":0,"latencyMs":76.2549570000001},"budget":{"spent":{"calls":1,"inputTokens":58,"outputTokens":8,"toolCalls":1,"steps":1,"cost":0},"elapsedMs":76.32,"warned":[],"run":"finished"},"fingerprint":{"model":"mock/mock","mode":"native","tools":{"pay":"7f80b7054f084a97232840db2ca04e3f"},"agents":{},"prompts":{"system":"8bacbf15a33959ee066af7a77e9ef87e","preset":"c89a148be40e6752261e3038609a4b68","output":"4e58e6fa34303ce39517ff0bf20b00df","options":"c89a148be40e6752261e3038609a4b68"},"limits":{"maxSteps":"10","maxParseFailures":"3","repeatWindow":"5","maxRepeats":"3","maxIdleSteps":"4","repeatableTools":"[]","concurrency":"8","toolTimeoutMs":"120000"},"policy":"none"},"guards":{"recentActions":["c419028966515ae6dd4f4cb9"],"knownResults":["458707867f9e7584"],"repeats":0,"parseFailures":0,"idleSteps":0,"asked":{"dbea038308bfd671":1}},"seq":8,"entries":[],"pending":[],"transcript":{"length":3,"digest":"63ede2b2759180508eb460cc1ca28c26a39a491623eda3de77dcd4a4b3ca208f"}}', '{"status":"final","content":"It is paid.","runId":"finished","usage":{"inputTokens":20,"outputTokens":10,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0},{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"details":{},"steps":2,"text":"It is paid.","metrics":{"calls":[{"provider":"mock","model":"mock","latencyMs":9.88,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}},{"provider":"mock","model":"mock","latencyMs":1.07,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}],"executedActions":1,"latencyMs":176.516439}}', NULL, 1796037471924, 1796037472125);
INSERT INTO stored_forms.runs VALUES ('waiting', '', '', 'suspended', NULL, 1, NULL, 1, 0, 0, 0, 0, 2, 4, 4, 1, 8, 0, 0, 0, 'null', NULL, '{"version":1,"runId":"waiting","phase":"model","step":1,"formatLevel":0,"compacted":false,"requests":0,"attempt":0,"usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":0,"turns":[],"reported":false},"text":"","totals":{"modelCalls":0,"executedActions":0,"failedActions":0,"latencyMs":0.8103000000000975},"budget":{"spent":{"calls":1,"inputTokens":72,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":10.08,"warned":[],"run":"waiting"},"fingerprint":{"model":"mock/mock","mode":"native","tools":{"pay":"7f80b7054f084a97232840db2ca04e3f"},"agents":{},"prompts":{"system":"d5c52dc66ca5dd41b60c1cf9b214fa52","preset":"c89a148be40e6752261e3038609a4b68","output":"4e58e6fa34303ce39517ff0bf20b00df","options":"c89a148be40e6752261e3038609a4b68"},"limits":{"maxSteps":"10","maxParseFailures":"3","repeatWindow":"5","maxRepeats":"3","maxIdleSteps":"4","repeatableTools":"[]","concurrency":"8","toolTimeoutMs":"120000"},"policy":"unversioned"},"guards":{"recentActions":[],"knownResults":[],"repeats":0,"parseFailures":0,"idleSteps":0},"seq":8,"entries":[{"entry":"intent","kind":"model","provider":"mock","model":"mock","inputTokens":72,"maxOutputTokens":4096,"key":"waiting/1/model/0","runId":"waiting","step":1,"attempt":1,"at":1796037472156,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":1.08,"warned":[],"run":"waiting"}},{"entry":"receipt","kind":"model","reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-2","name":"pay","arguments":{"invoice":"2"},"argumentsText":"{\"invoice\":\"2\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"waiting/1/model/0","runId":"waiting","step":1,"attempt":1,"at":1796037472164,"seq":4,"budget":{"spent":{"calls":1,"inputTokens":72,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":9.08,"warned":[],"run":"waiting"}},{"entry":"intent","kind":"authorization","callId":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"key":"waiting/1/authorization/0","runId":"waiting","step":1,"attempt":1,"at":1796037472165,"seq":6,"budget":{"spent":{"calls":1,"inputTokens":72,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":9.47,"warned":[],"run":"waiting"}},{"entry":"receipt","kind":"authorization","callId":"call-2","decision":{"effect":"require-approval","reason":"it moves money"},"key":"waiting/1/authorization/0","runId":"waiting","step":1,"attempt":1,"at":1796037472165,"seq":7,"budget":{"spent":{"calls":1,"inputTokens":72,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":9.64,"warned":[],"run":"waiting"}}],"pending":[{"type":"approval","id":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"digest":"88feccf7590f051d10d62dfa09bcb9bb6ee2e35936977f55ae2289b8a2a82e74","reason":"it moves money"}],"transcript":{"length":1,"digest":"76e1ae1eae03f385fa43222250a39b8cb146a231e68e3e1f02ee94be70359c78"}}', '{"status":"suspended","pending":[{"type":"approval","id":"call-2","action":{"type":"tool_call","tool":"pay","args":{"invoice":"2"}},"digest":"88feccf7590f051d10d62dfa09bcb9bb6ee2e35936977f55ae2289b8a2a82e74","reason":"it moves money"}],"runId":"waiting","usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"details":{},"steps":1,"text":"","metrics":{"calls":[{"provider":"mock","model":"mock","latencyMs":1.35,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}],"executedActions":0,"latencyMs":10.183067999999366}}', NULL, 1796037472140, 1796037472165);
INSERT INTO stored_forms.runs VALUES ('task:task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 'task:clerk', 'af1dd451223b7c147cb550ec42fce1f2977765061a13885f174332d5c11823e5', 'finished', NULL, 1, NULL, 1, 0, 0, 0, 0, 1, 0, 2, 1, 14, 0, 0, 0, '"af1dd451223b7c147cb550ec42fce1f2977765061a13885f174332d5c11823e5"', NULL, '{"version":1,"runId":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78.1","phase":"step","step":0,"formatLevel":0,"compacted":false,"requests":0,"attempt":0,"usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":0,"turns":[],"reported":false},"text":"","totals":{"modelCalls":0,"executedActions":0,"failedActions":0,"latencyMs":0.08907999999973981},"budget":{"spent":{},"elapsedMs":0.15,"warned":[],"run":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78.1"},"fingerprint":{"model":"mock/mock","mode":"native","tools":{"pay":"7f80b7054f084a97232840db2ca04e3f"},"agents":{},"prompts":{"system":"8bacbf15a33959ee066af7a77e9ef87e","preset":"c89a148be40e6752261e3038609a4b68","output":"4e58e6fa34303ce39517ff0bf20b00df","options":"c89a148be40e6752261e3038609a4b68"},"limits":{"maxSteps":"10","maxParseFailures":"3","repeatWindow":"5","maxRepeats":"3","maxIdleSteps":"4","repeatableTools":"[]","concurrency":"8","toolTimeoutMs":"120000"},"policy":"1"},"guards":{"recentActions":[],"knownResults":[],"repeats":0,"parseFailures":0,"idleSteps":0},"seq":0,"entries":[],"pending":[],"transcript":{"length":1,"digest":"6847b76e53edeb3a7fbc2e5ff54f3fc8a03c5c1f5e79a686fadc3d4c6feb9106"},"caller":{"agent":{"known":0,"message":"msg_20261130111752_f79a850ed0e50d18f79d4a4b10fa9bc5"}}}', '{"status":"completed"}', NULL, 1796037472182, 1796037472274);
INSERT INTO stored_forms.runs VALUES ('interrupted', '', '', 'running', '4c594b59-fa37-425c-8500-25fdd09fc1cc', 1, 1796037487362, 1, 0, 0, 0, 4, 1, 0, 3, 1, 6, 0, 0, 0, 'null', NULL, '{"version":1,"runId":"interrupted","phase":"step","step":0,"formatLevel":0,"compacted":false,"requests":0,"attempt":0,"usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":0,"turns":[],"reported":false},"text":"","totals":{"modelCalls":0,"executedActions":0,"failedActions":0,"latencyMs":0.08685499999955937},"budget":{"spent":{},"elapsedMs":0.16,"warned":[],"run":"interrupted"},"fingerprint":{"model":"mock/mock","mode":"native","tools":{"pay":"7f80b7054f084a97232840db2ca04e3f"},"agents":{},"prompts":{"system":"8bacbf15a33959ee066af7a77e9ef87e","preset":"c89a148be40e6752261e3038609a4b68","output":"4e58e6fa34303ce39517ff0bf20b00df","options":"c89a148be40e6752261e3038609a4b68"},"limits":{"maxSteps":"10","maxParseFailures":"3","repeatWindow":"5","maxRepeats":"3","maxIdleSteps":"4","repeatableTools":"[]","concurrency":"8","toolTimeoutMs":"120000"},"policy":"none"},"guards":{"recentActions":[],"knownResults":[],"repeats":0,"parseFailures":0,"idleSteps":0},"seq":0,"entries":[],"pending":[],"transcript":{"length":1,"digest":"c62adc5e0136eeb7604ff0208879996620d63ccd1b18e024fb280c4c697413d4"}}', NULL, NULL, 1796037472354, 1796037472362);
INSERT INTO stored_forms.runs VALUES ('task:task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 'task:clerk', 'af1dd451223b7c147cb550ec42fce1f2977765061a13885f174332d5c11823e5', 'suspended', NULL, 1, NULL, 3, 0, 0, 0, 0, 2, 4, 4, 3, 8, 0, 0, 0, '"af1dd451223b7c147cb550ec42fce1f2977765061a13885f174332d5c11823e5"', NULL, '{"version":1,"runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","phase":"model","step":1,"formatLevel":0,"compacted":false,"requests":0,"attempt":0,"usage":{"inputTokens":0,"outputTokens":0,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":0,"turns":[],"reported":false},"text":"","totals":{"modelCalls":0,"executedActions":0,"failedActions":0,"latencyMs":5.099344000000201},"budget":{"spent":{"calls":1,"inputTokens":93,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":9.4,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"},"fingerprint":{"model":"mock/mock","mode":"native","tools":{"pay":"7f80b7054f084a97232840db2ca04e3f"},"agents":{},"prompts":{"system":"8bacbf15a33959ee066af7a77e9ef87e","preset":"c89a148be40e6752261e3038609a4b68","output":"4e58e6fa34303ce39517ff0bf20b00df","options":"c89a148be40e6752261e3038609a4b68"},"limits":{"maxSteps":"10","maxParseFailures":"3","repeatWindow":"5","maxRepeats":"3","maxIdleSteps":"4","repeatableTools":"[]","concurrency":"8","toolTimeoutMs":"120000"},"policy":"1"},"guards":{"recentActions":[],"knownResults":[],"repeats":0,"parseFailures":0,"idleSteps":0},"seq":8,"entries":[{"entry":"intent","kind":"model","provider":"mock","model":"mock","inputTokens":93,"maxOutputTokens":4096,"key":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5/task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1/1/model/0","runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"attempt":1,"at":1796037472322,"seq":2,"budget":{"spent":{"calls":0,"inputTokens":0,"outputTokens":0,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":5.29,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"}},{"entry":"receipt","kind":"model","reply":{"message":{"role":"assistant","content":"","toolCalls":[{"id":"call-4","name":"pay","arguments":{"invoice":"4"},"argumentsText":"{\"invoice\":\"4\"}"}],"origin":{"provider":"mock","model":"mock"}},"finishReason":"tool-calls","details":{},"usage":{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0,"toolDefinitionTokens":43,"turns":[{"inputTokens":10,"outputTokens":5,"cacheReadTokens":0,"cacheCreationTokens":0,"reasoningTokens":0}],"reported":true},"metrics":{"provider":"mock","model":"mock","latencyMs":1.02,"usage":{"inputTokens":10,"outputTokens":5,"totalTokens":15,"estimated":false,"source":"provider"}}},"key":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5/task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1/1/model/0","runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"attempt":1,"at":1796037472326,"seq":4,"budget":{"spent":{"calls":1,"inputTokens":93,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":8.76,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"}},{"entry":"intent","kind":"authorization","callId":"call-4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"key":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5/task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1/1/authorization/0","runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"attempt":1,"at":1796037472326,"seq":6,"budget":{"spent":{"calls":1,"inputTokens":93,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":8.96,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"}},{"entry":"receipt","kind":"authorization","callId":"call-4","decision":{"effect":"require-approval","reason":"tool.pay needs approval"},"key":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5/task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1/1/authorization/0","runId":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1","step":1,"attempt":1,"at":1796037472326,"seq":7,"budget":{"spent":{"calls":1,"inputTokens":93,"outputTokens":8,"toolCalls":0,"steps":1,"cost":0},"elapsedMs":9.07,"warned":[],"run":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5.1"}}],"pending":[{"type":"approval","id":"call-4","action":{"type":"tool_call","tool":"pay","args":{"invoice":"4"}},"digest":"0a65cbaac91062d1d1b8ed48ee1827f3a06be5393031399220534bc3b647b618","reason":"tool.pay needs approval"}],"transcript":{"length":3,"digest":"a555e4cf352859684346d1a8f7fbe2cbdf4b672d71200e82d9b5a7970e37e9d0"},"caller":{"agent":{"known":2,"message":"msg_20261130111752_68c2578a7426474f30c07d246e523ba4"}}}', NULL, NULL, 1796037472290, 1796037472334);


--
-- Data for Name: sessions; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.sessions VALUES ('["ada","clerk","books"]', 'ada', 'clerk', 'books', 1, 'ef5d118d-f574-43c0-bc35-f78f037a1fca', 2, NULL, NULL);


--
-- Data for Name: tasks; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.tasks VALUES ('task_20261130111752_82d9308b73313d52f2cf06517fd17c78', 'ada', 'clerk', 'books', 'completed', 1796037472273, '{"record":{"id":"task_20261130111752_82d9308b73313d52f2cf06517fd17c78","agent":"clerk","principal":"ada","sessionId":"books","createdAt":"2026-11-30T11:17:52.182Z","metadata":{},"flowState":{},"context":{"chain":["clerk"]}},"statusAt":"2026-11-30T11:17:52.273Z"}', 'ef5d118d-f574-43c0-bc35-f78f037a1fca', NULL);
INSERT INTO stored_forms.tasks VALUES ('task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5', 'ada', 'clerk', 'books', 'input-required', 1796037472330, '{"record":{"id":"task_20261130111752_9571fcc5253b2613a9dd48c46924e2c5","agent":"clerk","principal":"ada","sessionId":"books","createdAt":"2026-11-30T11:17:52.290Z","metadata":{},"flowState":{},"context":{"chain":["clerk"]}},"statusAt":"2026-11-30T11:17:52.330Z"}', 'ef5d118d-f574-43c0-bc35-f78f037a1fca', 2);


--
-- Data for Name: waits; Type: TABLE DATA; Schema: stored_forms; Owner: -
--



--
-- Data for Name: workers; Type: TABLE DATA; Schema: stored_forms; Owner: -
--

INSERT INTO stored_forms.workers VALUES ('cbb70a07-031d-4c91-91a4-b1e9a20f1d70', '["[\"task:clerk\",\"af1dd451223b7c147cb550ec42fce1f2977765061a13885f174332d5c11823e5\"]"]', 1796037472176);


--
-- Name: budgets budgets_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.budgets
    ADD CONSTRAINT budgets_pkey PRIMARY KEY (id);


--
-- Name: commits commits_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.commits
    ADD CONSTRAINT commits_pkey PRIMARY KEY (writer);


--
-- Name: documents documents_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (kind, id);


--
-- Name: entries entries_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.entries
    ADD CONSTRAINT entries_pkey PRIMARY KEY (log, seq);


--
-- Name: inbox inbox_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.inbox
    ADD CONSTRAINT inbox_pkey PRIMARY KEY (id);


--
-- Name: logs logs_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (id);


--
-- Name: meta meta_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.meta
    ADD CONSTRAINT meta_pkey PRIMARY KEY (name);


--
-- Name: outbox outbox_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.outbox
    ADD CONSTRAINT outbox_pkey PRIMARY KEY (id);


--
-- Name: reservations reservations_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.reservations
    ADD CONSTRAINT reservations_pkey PRIMARY KEY (id, budget);


--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);


--
-- Name: sessions sessions_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (name);


--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);


--
-- Name: waits waits_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.waits
    ADD CONSTRAINT waits_pkey PRIMARY KEY (id, budget);


--
-- Name: workers workers_pkey; Type: CONSTRAINT; Schema: stored_forms; Owner: -
--

ALTER TABLE ONLY stored_forms.workers
    ADD CONSTRAINT workers_pkey PRIMARY KEY (id);


--
-- Name: budgets_owner; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX budgets_owner ON stored_forms.budgets USING btree (owner);


--
-- Name: documents_owner; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX documents_owner ON stored_forms.documents USING btree (kind, owner, sort, id);


--
-- Name: inbox_run; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX inbox_run ON stored_forms.inbox USING btree (run, about, at);


--
-- Name: outbox_due; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX outbox_due ON stored_forms.outbox USING btree (dead, due);


--
-- Name: outbox_stream; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX outbox_stream ON stored_forms.outbox USING btree (stream, dead, seq);


--
-- Name: reservations_budget; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX reservations_budget ON stored_forms.reservations USING btree (budget, at);


--
-- Name: runs_due; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX runs_due ON stored_forms.runs USING btree (queue, version, phase, due) WHERE (due IS NOT NULL);


--
-- Name: runs_status; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX runs_status ON stored_forms.runs USING btree (status, updated, id);


--
-- Name: sessions_generation; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE UNIQUE INDEX sessions_generation ON stored_forms.sessions USING btree (generation);


--
-- Name: sessions_owner; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX sessions_owner ON stored_forms.sessions USING btree (principal, agent, id);


--
-- Name: sessions_until; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX sessions_until ON stored_forms.sessions USING btree (until) WHERE (until IS NOT NULL);


--
-- Name: tasks_newest; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX tasks_newest ON stored_forms.tasks USING btree (principal, at, id);


--
-- Name: tasks_place; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX tasks_place ON stored_forms.tasks USING btree (generation, place) WHERE (place IS NOT NULL);


--
-- Name: tasks_session; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX tasks_session ON stored_forms.tasks USING btree (principal, session, at, id);


--
-- Name: tasks_state; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX tasks_state ON stored_forms.tasks USING btree (state, at, id);


--
-- Name: waits_budget; Type: INDEX; Schema: stored_forms; Owner: -
--

CREATE INDEX waits_budget ON stored_forms.waits USING btree (budget, place);


--
-- PostgreSQL database dump complete
--


