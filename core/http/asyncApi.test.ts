import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { z } from "zod";
import { asyncApiDocument, canStream } from "#core/http/asyncApi.ts";
import { field } from "#core/http/openapi/schema.ts";

const tick = z
	.object({ type: z.literal("tick"), seq: field.integer("Its number.", 7) })
	.meta({ id: "TickFrame", description: "A tick." });
const ticks = canStream({
	name: "ticks",
	title: "Ticks",
	description: "Ticks of one clock.",
	params: z.object({ clock: field.text("Which clock.", "wall") }),
	query: z.object({ after: field.digits("Resume behind it.", "6").optional() }),
	sends: { tick: { summary: "A tick.", schema: tick } },
	receives: { stop: { summary: "Ends it.", schema: z.object({ type: z.literal("stop") }) } },
});
const hook = canStream({
	name: "hook",
	title: "A hook",
	description: "What somebody posts.",
	headers: z.object({ "x-signature": field.text("Signed.", "abc") }),
	receives: { posted: { summary: "It happened.", schema: z.object({ id: field.id("Which.") }) } },
});
const app = new Elysia()
	.ws("/v1/clocks/:clock/stream", { detail: { hide: true, ...ticks } })
	.post("/v1/hook", () => "", { detail: { hide: true, ...hook } })
	.get("/v1/other", "x");

test("each route that describes its messages is a channel with its operations", () => {
	const document = asyncApiDocument({ app, version: "1.2.3" });
	expect(document.asyncapi).toBe("3.0.0");
	expect(Object.keys(document.channels)).toEqual(["ticks", "hook"]);
	expect(document.channels["ticks"]).toMatchObject({
		address: "/v1/clocks/{clock}/stream",
		servers: [{ $ref: "#/servers/sockets" }],
		parameters: { clock: { description: "Which clock.", examples: ["wall"] } },
		messages: { tick: { $ref: "#/components/messages/tick" } },
		bindings: { ws: { query: { properties: { after: { type: "string" } } } } },
	});
	expect(document.channels["hook"]).toMatchObject({ servers: [{ $ref: "#/servers/http" }] });
	expect(Object.keys(document.operations)).toEqual(["sendTicks", "receiveTicks", "receiveHook"]);
	expect(document.operations["sendTicks"]).toMatchObject({
		action: "send",
		messages: [{ $ref: "#/channels/ticks/messages/tick" }],
	});
	expect(document.components.messages["tick"]).toMatchObject({
		payload: { $ref: "#/components/schemas/TickFrame" },
		examples: [{ payload: { type: "tick", seq: 7 } }],
	});
	expect(document.components.messages["posted"]).toMatchObject({
		headers: { properties: { "x-signature": { type: "string" } } },
	});
	expect(document.components.schemas["TickFrame"]).toMatchObject({ description: "A tick." });
});

test("the servers are those of the public address, or a variable if none is configured", () => {
	const { servers } = asyncApiDocument({ app, version: "1", publicUrl: "https://api.example/nft" });
	expect(servers).toEqual({
		sockets: { host: "api.example", pathname: "/nft", protocol: "wss" },
		http: { host: "api.example", pathname: "/nft", protocol: "https" },
	});
	const unnamed = asyncApiDocument({ app: new Elysia(), version: "1" });
	expect(unnamed.servers).toMatchObject({ sockets: { host: "{host}", protocol: "ws" } });
	expect(unnamed.servers).not.toHaveProperty("http");
	expect(unnamed.channels).toEqual({});
});
