/** Whether the nodes of a stack can run its image. */
import { findDeployedImage, findImage, findNodes } from '../../stack/new/look-up.ts';
import { architecturesIn, platformFault } from '../../stack/new/seen.ts';
import { type Finding, failed, ok, skipped } from './finding.ts';

/** @param namespace of the tenant */
export async function checkImage(namespace: string): Promise<Finding> {
  const [image, nodes] = await Promise.all([findDeployedImage(namespace), findNodes(undefined)]);
  if (image === undefined || nodes === undefined)
    return skipped('image', 'kubectl does not tell which image and nodes there are.');
  const found = await findImage(image);
  if (found === undefined)
    return skipped('image', 'Docker does not tell what the image is made for: log in to its registry.');
  return imageFinding(image, found.platforms, architecturesIn(nodes));
}

export function imageFinding(image: string, platforms: readonly string[], nodes: readonly string[]): Finding {
  const fault = platformFault(image, platforms, nodes);
  return fault === undefined
    ? ok(
        'image',
        `It is made for ${platforms.join(', ') || 'whatever its registry does not say'}, and nodes are ${nodes.join(', ')}.`,
      )
    : failed('image', fault, 'docs/operate/image.md says how it is built for nodes.');
}
