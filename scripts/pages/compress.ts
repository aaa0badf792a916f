import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const compress = { br: promisify(brotliCompress), gz: promisify(gzip) };
const strongest = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } },
  gz: { level: constants.Z_BEST_COMPRESSION },
};

/** Writes each script, style sheet and page of a folder as brotli (`.br`) and gzip (`.gz`), too, so that none is compressed when it is asked for. */
export async function compressAll(folder: string): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => /\.(js|css|html)$/.test(file))) {
    const content = await readFile(join(folder, name));
    await writeFile(join(folder, `${name}.br`), await compress.br(content, strongest.br));
    await writeFile(join(folder, `${name}.gz`), await compress.gz(content, strongest.gz));
  }
}
