"""Drives govfind with the official Python client, over stdio and over HTTP, in both lifecycles.

Usage: client.py URL TOKEN GOVFIND [ARGUMENT]...
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client


async def drive(server, mode):
    async with Client(server, mode=mode, read_timeout_seconds=30) as client:
        assert client.server_info.name == "govfind", client.server_info
        assert "gf://docs/" in client.instructions, client.instructions
        tools = (await client.list_tools()).tools
        names = sorted(t.name for t in tools)
        assert names == ["get", "multi_get", "query", "status"], names
        assert all(t.annotations.read_only_hint for t in tools)

        found = await client.call_tool("query", {"query": "vault rotation", "mode": "search"})
        assert not found.is_error, found
        results = found.structured_content["results"]
        assert [r["path"] for r in results] == ["vault.md"], results
        assert json.loads(found.content[0].text) == found.structured_content

        lines = await client.call_tool("get", {"document": "gf://docs/vault.md", "from": 3, "lines": 1})
        assert lines.structured_content["document"]["text"] == "The vault rotation is monthly.\n", lines
        many = await client.call_tool("multi_get", {"pattern": "*.md"})
        assert many.structured_content["count"] == 2, many
        state = await client.call_tool("status", {})
        assert state.structured_content["documents"] == 2, state

        absent = await client.call_tool("get", {"document": "gf://docs/none.md"})
        assert absent.is_error and "ERR-NEGATIVE" in absent.content[0].text, absent
        wrong = await client.call_tool("query", {"query": "x", "colour": "red"})
        assert wrong.is_error and "colour" in wrong.content[0].text, wrong

        resources = (await client.list_resources()).resources
        assert sorted(str(r.uri) for r in resources) == ["gf://docs/other.md", "gf://docs/vault.md"]
        templates = (await client.list_resource_templates()).resource_templates
        assert [t.uri_template for t in templates] == ["gf://{path}"], templates
        read = await client.read_resource("gf://docs/vault.md")
        assert read.contents[0].text.startswith("# Vault\n"), read
        return client.protocol_version


async def main():
    url, token, govfind, *arguments = sys.argv[1:]
    headers = {"Authorization": f"Bearer {token}"}
    for mode in ["auto", "legacy"]:
        parameters = StdioServerParameters(command=govfind, args=[*arguments, "mcp"])
        print("stdio", mode, await drive(parameters, mode))
        async with httpx2.AsyncClient(headers=headers) as http:
            print("http", mode, await drive(streamable_http_client(url, http_client=http), mode))


asyncio.run(main())
