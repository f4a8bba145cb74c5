// One session of an official TypeScript client: reads what to do as JSON from standard input, prints the answers.
import { text } from "node:stream/consumers";

const { client: which, era, url, command, calls, browse } = JSON.parse(await text(process.stdin));

async function open() {
  if (which === "sdk") {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
    return [new Client({ name: "tests", version: "1" }), StreamableHTTPClientTransport, StdioClientTransport];
  }
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const { StdioClientTransport } = await import("@modelcontextprotocol/client/stdio");
  const mode = era === "modern" ? { pin: "2026-07-28" } : "legacy";
  const client = new Client({ name: "tests", version: "1" }, { versionNegotiation: { mode } });
  return [client, StreamableHTTPClientTransport, StdioClientTransport];
}

const [client, Http, Stdio] = await open();
const transport = url ? new Http(new URL(url)) : new Stdio({ command: command[0], args: command.slice(1) });
await client.connect(transport);
const tools = (await client.listTools()).tools.map((tool) => tool.name);
const answers = [];
for (const call of calls) {
  const { content, structuredContent, isError } = await client.callTool(call);
  answers.push({ text: content[0].text, structured: structuredContent, isError: isError ?? false });
}
const said = { tools, answers };
if (browse) {
  const { resources } = await client.listResources();
  const read = await Promise.all(resources.map(({ uri }) => client.readResource({ uri })));
  said.contracts = read.map(({ contents }) => contents[0].text);
  said.prompts = (await client.listPrompts()).prompts.map((prompt) => prompt.name);
  const given = { translation: "a cat", reference: "the cat" };
  const prompt = await client.getPrompt({ name: "explain-score", arguments: given });
  said.prompt = prompt.messages[0].content.text;
  const template = (await client.listResourceTemplates()).resourceTemplates[0].uriTemplate;
  const argument = { name: "id", value: "chrf" };
  const completed = await client.complete({ ref: { type: "ref/resource", uri: template }, argument });
  said.completed = completed.completion.values.toSorted();
}
console.log(JSON.stringify(said));
await client.close();
