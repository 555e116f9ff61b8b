import { z } from "zod";
import { field } from "#core/http/openapi/field.ts";
import { chainParam } from "#plugins/market-index/schemas/chainParam.ts";

const NAME_LENGTH_MAX = 128;

/** Words that name a collection or search for one. */
export const wordsInput = z
	.string()
	.regex(/^(?=.*\S)[^\p{Cc}]*$/u, "must be text on one line")
	.max(NAME_LENGTH_MAX);

/** The input of every tool about one collection. */
export const collectionInput = z.strictObject({
	collection: wordsInput.meta({
		description:
			"A slug, a former slug, a contract address, or a name. Where several collections fit, the " +
			"answer is a question.",
		examples: ["kiln-folk", "Kiln Folk", "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
	}),
	chain: chainParam,
});

export type CollectionInput = z.output<typeof collectionInput>;

/** How every answer names its collection. */
export const collectionRef = z.object({
	slug: field.text("Its name in URLs; the contract's address until it has one.", "kiln-folk"),
	chain: field.text("Slug of the chain.", "ethereum"),
	contractAddress: field.addressText("The collection's contract."),
	name: field.text("Its name as its makers gave it; null while unknown.", "Kiln Folk").nullable(),
});

export type CollectionRef = z.output<typeof collectionRef>;

/** One trait of a collection, by its name. */
export const traitInput = z
	.string()
	.max(NAME_LENGTH_MAX)
	.regex(/^[^\p{Cc}]*$/u, "must be a trait's name")
	.optional()
	.meta({
		description: "Only values of this trait, by its name as it is shown.",
		examples: ["Background"],
	});
