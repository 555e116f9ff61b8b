import { z } from "zod";
import { IMAGE_LENGTH_MAX } from "#plugins/market-index/limits.ts";
import { cleanName } from "#plugins/market-index/metadata/cleanName.ts";

/** What a collection says of itself by ERC-7572. */
export type ContractMetadata = { name: string | null; imageUrl: string | null };

const documentSchema = z.object({
	name: z.string().optional().catch(undefined),
	image: z.string().optional().catch(undefined),
});

/** Schemes that may stand in an image's URL; a browser must never be handed `javascript:`. */
const IMAGE_SCHEMES = /^(https:\/\/|ipfs:\/\/|data:image\/)/i;

/**
 * Reads a `contractURI` that carries its document within itself (`data:`). Null where it points
 * elsewhere: nothing is fetched for a stranger's contract here.
 */
export function readContractUri(uri: string | null): ContractMetadata | null {
	const text = uri === null ? null : readDataUri(uri);
	if (text === null) return null;
	try {
		const document = documentSchema.parse(JSON.parse(text));
		const image = document.image?.toWellFormed() ?? "";
		const usable = image.length <= IMAGE_LENGTH_MAX && IMAGE_SCHEMES.test(image);
		return {
			name: cleanName(document.name ?? null),
			imageUrl: usable && !image.includes("\u0000") ? image : null,
		};
	} catch {
		return null;
	}
}

function readDataUri(uri: string): string | null {
	const match = /^data:application\/json(;[^,]*)?,(.*)$/is.exec(uri);
	if (!match) return null;
	const [, parameters = "", body = ""] = match;
	if (/;base64$/i.test(parameters)) return Buffer.from(body, "base64").toString("utf8");
	try {
		return decodeURIComponent(body);
	} catch {
		// Many contracts write the JSON as it is, percent signs included.
		return body;
	}
}
