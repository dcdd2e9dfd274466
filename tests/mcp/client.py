"""Uses tools, resources and prompts of a server with the official Python SDK."""

import asyncio
import os
import sys

from httpx2 import AsyncClient
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def main(url: str, project: str, mode: str) -> None:
    headers = {"Authorization": f"Bearer {os.environ['FORGEGUARD_KEY']}"}
    async with AsyncClient(headers=headers) as http:
        async with Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            tools = (await client.list_tools()).tools
            resources = (await client.list_resources()).resources
            prompts = (await client.list_prompts()).prompts
            print(f"{len(tools)} tools, {len(resources)} resources, {len(prompts)} prompts")
            arguments = {"project_id": project, "contract_type": "blueprint"}
            print(await client.call_tool("forge_get_project_contract", arguments))


asyncio.run(main(*sys.argv[1:]))
