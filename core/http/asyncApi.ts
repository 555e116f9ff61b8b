// Makes the AsyncAPI document of streams and webhooks.

import type { AnyElysia } from "elysia";
import { z } from "zod";
import {
	type Components,
	createComponents,
	exampleOf,
	isRecord,
	type JsonSchema,
} from "#core/http/openapi/schema.ts";

/** A message of a channel: its meaning, and its form. */
export type DescribedMessage = { summary: string; schema: z.ZodType };

/** A route's description of its messages; the AsyncAPI document shows it as a channel. */
export type DescribedChannel = {
	/** Names the channel and, after a verb, its operations. */
	name: string;
	title: string;
	description: string;
	/** The path's parameters, and the query's. */
	params?: z.ZodObject;
	query?: z.ZodObject;
	headers?: z.ZodObject;
	/** Messages that the service sends, by name. */
	sends?: Readonly<Record<string, DescribedMessage>>;
	/** Messages that it receives, by name. */
	receives?: Readonly<Record<string, DescribedMessage>>;
};

export type AsyncApiDocument = {
	asyncapi: string;
	info: Record<string, unknown>;
	defaultContentType: string;
	servers: Named;
	channels: Named;
	operations: Named;
	components: { messages: Named; schemas: Record<string, JsonSchema> };
};

export type AsyncApiOptions = {
	app: AnyElysia;
	version: string;
	publicUrl?: string | undefined;
};

type Named = Record<string, Record<string, unknown>>;

/** A socket or webhook route, with the description of its messages. */
type Route = { channel: DescribedChannel; path: string; isSocket: boolean };

/**
 * The member of a route's `detail` that describes the messages over its socket, or posted to it.
 */
export const CHANNEL_MEMBER = "x-channel";

const DESCRIPTION = [
	"What this service pushes over WebSockets, and the webhooks that it receives. Its routes are in the",
	"OpenAPI document at `/openapi/json`.",
	"",
	"Every frame is one JSON object. Ignore types and members that you do not know.",
].join("\n");

/**
 * Describes a route's messages for the AsyncAPI document.
 *
 * @example .ws("/discover/stream", { detail: { ...canStream({ name: "discover", … }) } })
 */
export function canStream(channel: DescribedChannel): { [CHANNEL_MEMBER]: DescribedChannel } {
	return { [CHANNEL_MEMBER]: channel };
}

/**
 * Returns the AsyncAPI 3 document of every route on `app` that describes its messages
 * (`canStream`).
 */
export function asyncApiDocument({ app, version, publicUrl }: AsyncApiOptions): AsyncApiDocument {
	const routes = routesOf(app);
	const components = createComponents();
	const made = routes.map((route) => describeChannel(route, components));
	const schemas = components.schemas();
	const messages: Named = {};
	for (const { messages: own } of made) {
		for (const [name, { payload, ...rest }] of Object.entries(own)) {
			const example = exampleOf(payload, schemas);
			messages[name] = {
				...rest,
				payload,
				...(isRecord(example) && { examples: [{ payload: example }] }),
			};
		}
	}
	return {
		asyncapi: "3.0.0",
		info: {
			title: "Tapeline",
			version,
			description: DESCRIPTION,
			license: { name: "MIT", url: "https://opensource.org/license/mit" },
		},
		defaultContentType: "application/json",
		servers: serversOf(publicUrl, routes),
		channels: Object.fromEntries(made.map(({ name, channel }) => [name, channel])),
		operations: Object.fromEntries(made.flatMap(({ operations }) => operations)),
		components: {
			messages,
			schemas,
		},
	};
}

function routesOf(app: AnyElysia): Route[] {
	return app.router.history.flatMap(({ method, path, hooks }) => {
		const detail: unknown = isRecord(hooks) ? hooks.detail : undefined;
		const channel = isRecord(detail) ? detail[CHANNEL_MEMBER] : undefined;
		return isChannel(channel) ? [{ channel, path, isSocket: method === "WS" }] : [];
	});
}

function isChannel(value: unknown): value is DescribedChannel {
	return isRecord(value) && typeof value.name === "string";
}

function describeChannel({ channel, path, isSocket }: Route, components: Components) {
	const { name, title, description, sends = {}, receives = {} } = channel;
	const all = { ...sends, ...receives };
	const headers = channel.headers && components.describe(channel.headers);
	const query = channel.query && components.describe(channel.query);
	const parameters = channel.params && parametersOf(channel.params, components);
	const messages = Object.fromEntries(
		Object.entries(all).map(([key, message]) => [key, messageOf(key, message, components)]),
	);
	const operation = (action: "send" | "receive", some: typeof sends) => {
		const names = Object.keys(some);
		if (names.length === 0) return [];
		const made = {
			action,
			channel: { $ref: `#/channels/${name}` },
			title: action === "send" ? `The service sends: ${title}` : `The service takes: ${title}`,
			messages: names.map((key) => ({ $ref: `#/channels/${name}/messages/${key}` })),
			...(!isSocket && { bindings: { http: { method: "POST", bindingVersion: "0.3.0" } } }),
		};
		return [[`${action}${upper(name)}`, made] as const];
	};
	return {
		name,
		channel: {
			address: path.replaceAll(/:([A-Za-z]+)/g, "{$1}"),
			title,
			description,
			servers: [{ $ref: `#/servers/${isSocket ? "sockets" : "http"}` }],
			messages: Object.fromEntries(
				Object.keys(all).map((key) => [key, { $ref: `#/components/messages/${key}` }]),
			),
			...(parameters && { parameters }),
			...(isSocket && {
				bindings: { ws: { method: "GET", ...(query && { query }), bindingVersion: "0.1.0" } },
			}),
		},
		operations: [...operation("send", sends), ...operation("receive", receives)],
		messages: Object.fromEntries(
			Object.entries(messages).map(([key, one]) => [key, headers ? { ...one, headers } : one]),
		),
	};
}

/**
 * Returns the path's parameters. In AsyncAPI they are always texts: only a schema's description and
 * examples are used.
 */
function parametersOf(params: z.ZodObject, components: Components): Named {
	return Object.fromEntries(
		Object.entries(params.shape).map(([name, schema]) => {
			const { description, examples } =
				schema instanceof z.core.$ZodType ? components.describe(schema) : {};
			return [name, { description, examples }];
		}),
	);
}

function messageOf(name: string, { summary, schema }: DescribedMessage, components: Components) {
	return { name, summary, contentType: "application/json", payload: components.describe(schema) };
}

function upper(name: string): string {
	return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Returns the servers. Without PUBLIC_URL the host is not known: then it is a variable. */
function serversOf(publicUrl: string | undefined, routes: readonly Route[]): Named {
	const url = publicUrl === undefined ? null : new URL(publicUrl);
	const isSecure = url?.protocol === "https:";
	const server = (protocol: string) => ({
		host: url?.host ?? "{host}",
		...(url && url.pathname !== "/" && { pathname: url.pathname }),
		protocol: isSecure ? `${protocol}s` : protocol,
		...(!url && {
			variables: {
				host: { default: "127.0.0.1:4000", description: "Host and port of the service." },
			},
		}),
	});
	const hasWebhooks = routes.some(({ isSocket }) => !isSocket);
	return { sockets: server("ws"), ...(hasWebhooks && { http: server("http") }) };
}
