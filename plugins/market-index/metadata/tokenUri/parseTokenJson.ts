import { z } from "zod";
import { cleanProse } from "#core/outside/cleanProse.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";
import { displayUrl } from "#plugins/market-index/metadata/tokenUri/displayUrl.ts";
import type { Gateways } from "#plugins/market-index/metadata/tokenUri/Gateways.ts";
import { isJsonBounded } from "#plugins/market-index/metadata/tokenUri/isJsonBounded.ts";
import {
	DESCRIPTION_LENGTH_MAX,
	DOCUMENT_BYTES_MAX,
} from "#plugins/market-index/metadata/tokenUri/limits.ts";
import { normaliseTraits } from "#plugins/market-index/metadata/tokenUri/normaliseTraits.ts";
import type { ProviderTrait } from "#plugins/provider/contract.ts";

export type TokenMetadata = {
	name: string | null;
	description: string | null;
	imageUrl: string | null;
	animationUrl: string | null;
	/** Null where the document has no traits. */
	traits: ProviderTrait[] | null;
};

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
