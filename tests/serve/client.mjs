// Drives govfind with the official TypeScript client, over stdio and over HTTP.
// Usage: node client.mjs SDK URL TOKEN GOVFIND [ARGUMENT]...
import assert from "node:assert/strict";

const [sdk, url, token, command, ...args] = process.argv.slice(2);
const from = (name) => import(`${sdk}/node_modules/@modelcontextprotocol/sdk/dist/esm/client/${name}.js`);
const { Client } = await from("index");
const { StdioClientTransport } = await from("stdio");
const { StreamableHTTPClientTransport } = await from("streamableHttp");

async function drive(transport) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  assert.match(client.getInstructions(), /gf:\/\/docs\//);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((t) => t.name).sort(), ["get", "multi_get", "query", "status"]);
  const found = await client.callTool({ name: "query", arguments: { query: "vault rotation", mode: "search" } });
  assert.deepEqual(found.structuredContent.results.map((r) => r.path), ["vault.md"]);
  const read = await client.readResource({ uri: "gf://docs/vault.md" });
  assert.match(read.contents[0].text, /^# Vault\n/);
  await assert.rejects(client.readResource({ uri: "gf://docs/none.md" }));
  await client.close();
}

const env = { ...process.env };
await drive(new StdioClientTransport({ command, args: [...args, "mcp"], env, stderr: "ignore" }));
const requestInit = { headers: { Authorization: `Bearer ${token}` } };
await drive(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
console.log("ok");
