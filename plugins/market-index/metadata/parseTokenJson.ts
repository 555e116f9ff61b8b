// Parses a token's or contract's JSON document.

import { z } from "zod";
import { cleanProse, cleanTrait } from "#core/outside.ts";
import { cleanName } from "#plugins/market-index/metadata/metadataJobs.ts";
import {
	ATTRIBUTES_MAX,
	DESCRIPTION_LENGTH_MAX,
	DOCUMENT_BYTES_MAX,
	DOCUMENT_DEPTH_MAX,
	DOCUMENT_VALUES_MAX,
	displayUrl,
	type Gateways,
} from "#plugins/market-index/metadata/tokenUri.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

export type TokenMetadata = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document has no traits. */
	traits: ProviderTrait[] | null;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Each field by itself: an invalid one costs only that field. */
const text = z
	.union([z.string(), z.number().transform(String)])
	.optional()
	.catch(undefined);
const url = z.string().optional().catch(undefined);
/** A list or a map; its rows are checked one by one, and only the first of them. */
const traits = z
	.custom<object>((value) => typeof value === "object" && value !== null)
	.optional()
	.catch(undefined);

const documentSchema = z.object({
	name: text,
	title: text,
	description: text,
	image: url,
	image_url: url,
	imageUrl: url,
	image_data: url,
	animation_url: url,
	attributes: traits,
	traits,
	properties: traits,
});

/**
 * Reads a token's or a contract's document. Null where the text is none; endless nesting ends in
 * the parser, and nothing here recurses.
 */
export function parseTokenJson(json: string, gateways: Gateways): TokenMetadata | null {
	const document = documentOf(json);
	if (document === null) return null;
	const shown = (...urls: (string | undefined)[]) => {
		const [first] = urls.flatMap((given) => (given && displayUrl(given, gateways)) || []);
		return first ?? null;
	};
	const { image, image_url, imageUrl, image_data, animation_url } = document;
	const attributes = document.attributes ?? document.traits ?? document.properties;
	return {
		name: cleanName(document.name ?? document.title ?? null),
		description: cleanProse(document.description, { lengthMax: DESCRIPTION_LENGTH_MAX }),
		imageUrl: shown(image, image_url, imageUrl, image_data && drawnUrl(image_data)),
		animationUrl: shown(animation_url),
		traits: attributes === undefined ? null : normaliseTraits(attributes),
	};
}

/** Returns the first of the texts that is a document; null where none is. */
export function heldMetadata(texts: readonly string[], gateways: Gateways): TokenMetadata | null {
	for (const text of texts) {
		const metadata = parseTokenJson(text, gateways);
		if (metadata !== null) return metadata;
	}
	return null;
}

/**
 * Says whether a JSON text is small enough to parse: a megabyte of `[` or of members takes the
 * parser and later code up to a second (measured), which blocks the process. It does not check the
 * grammar.
 */
export function isJsonBounded(text: string): boolean {
	let depth = 0;
	let values = 0;
	for (let at = 0; at < text.length; at++) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) at = endOfString(text, at + 1);
		else if (code === COMMA && ++values > DOCUMENT_VALUES_MAX) return false;
		else if (OPENING.has(code) && ++depth > DOCUMENT_DEPTH_MAX) return false;
		else if (CLOSING.has(code)) depth--;
	}
	return true;
}

/**
 * Returns the traits of a document, from the forms in use: a list of `{trait_type, value}`, or a
 * map from names to values (or to objects with a `value`). Entries without a name or a plain value
 * are left out: an object is no value, and an empty value means a missing one.
 */
export function normaliseTraits(attributes: unknown): ProviderTrait[] {
	if (typeof attributes !== "object" || attributes === null) return [];
	const rows = Array.isArray(attributes)
		? attributes.slice(0, ATTRIBUTES_MAX).map(listed)
		: Object.entries(attributes).slice(0, ATTRIBUTES_MAX).map(mapped);
	return rows.filter((trait) => trait !== null);
}

function documentOf(json: string) {
	if (json.length > DOCUMENT_BYTES_MAX || !isJsonBounded(json)) return null;
	try {
		return documentSchema.parse(JSON.parse(json.replace(/^\ufeff/, "")));
	} catch {
		return null;
	}
}

/** Returns the URL of a drawing; `image_data` may be the drawing itself. */
function drawnUrl(data: string): string {
	if (!/^\s*<(\?xml|svg)/i.test(data)) return data;
	return `data:image/svg+xml;base64,${Buffer.from(data).toString("base64")}`;
}

/** Returns the place of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
	let at = start;
	while (at < text.length) {
		const code = text.charCodeAt(at);
		if (code === QUOTE) return at;
		at += code === BACKSLASH ? 2 : 1;
	}
	return at;
}

function listed(row: unknown): ProviderTrait | null {
	const fields = fieldsOf(row);
	const { trait_type, traitType, name, type, key } = fields;
	return traitOf(trait_type ?? traitType ?? name ?? type ?? key, fields);
}

function fieldsOf(row: unknown): Record<string, unknown> {
	return typeof row === "object" && row !== null ? { ...row } : {};
}

function traitOf(type: unknown, fields: Record<string, unknown>): ProviderTrait | null {
	const displayType = fields["display_type"] ?? fields["displayType"];
	return cleanTrait({ type, value: fields["value"], displayType });
}

function mapped([name, value]: [string, unknown]): ProviderTrait | null {
	const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
	return traitOf(name, isObject ? fieldsOf(value) : { value });
}
