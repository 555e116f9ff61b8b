import { z } from "zod";

const Described = z.object({
	name: z.string().optional().catch(undefined),
	description: z.string().optional().catch(undefined),
	image: z.string().optional().catch(undefined),
	attributes: z
		.array(z.object({ trait_type: z.string(), value: z.union([z.string(), z.number()]) }))
		.optional()
		.catch(undefined),
});

export type Described = z.infer<typeof Described>;

/**
 * Returns the JSON in a `data:` URI; null for any other URI: this world keeps everything on chain.
 */
export function readDataUri(uri: string): Described | null {
	const [head, body] = uri.split(/,(.*)/s, 2);
	if (!head?.startsWith("data:application/json") || body === undefined) return null;
	try {
		const text = head.endsWith(";base64")
			? Buffer.from(body, "base64").toString()
			: decodeURIComponent(body);
		return Described.parse(JSON.parse(text));
	} catch {
		return null;
	}
}
