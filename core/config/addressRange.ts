import { z } from "zod";
import { parseAddressRange } from "#core/http/parseAddressRange.ts";

/** An IP address or a range of them, such as `10.0.0.0/8`. A name is neither: it can change. */
export const addressRange = z
	.string()
	.refine((text) => parseAddressRange(text) !== null, "this is no IP address and no range");
