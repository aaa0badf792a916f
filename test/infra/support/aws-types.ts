import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import ts from 'typescript';

/** What a property may hold. */
export type Shape =
  | { kind: 'anything' }
  | { kind: 'string' | 'number' | 'boolean' }
  | { kind: 'list'; item: Shape }
  | { kind: 'map'; item: Shape }
  | { kind: 'object'; name: string; fields: () => Fields }
  | { kind: 'choice'; of: readonly Shape[] };

export type Fields = ReadonlyMap<string, { shape: Shape; optional: boolean }>;

export interface ResourceType {
  inputs: Fields;
  outputs: Fields;
}

const folder = dirname(createRequire(import.meta.url).resolve('@pulumi/aws/package.json'));

/**
 * What @pulumi/aws declares of a resource such as `aws:ec2/vpc:Vpc`. The package ships no schema of its provider, but its
 * TypeScript declarations are generated from it.
 */
export function resourceType(token: string): ResourceType {
  const [, module = '', name = ''] = token.split(':');
  const file = parse(join(folder, `${module}.d.ts`));
  const args = file.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === `${name}Args`);
  const declared = file.statements.find((one) => ts.isClassDeclaration(one) && one.name?.text === name);
  if (!args || !declared) throw new Error(`@pulumi/aws declares no ${token}`);
  return {
    inputs: fieldsOf((args as ts.InterfaceDeclaration).members),
    outputs: fieldsOf((declared as ts.ClassDeclaration).members.filter(isReadonlyProperty)),
  };
}

function isReadonlyProperty(member: ts.ClassElement): member is ts.PropertyDeclaration {
  return (
    ts.isPropertyDeclaration(member) &&
    (member.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ReadonlyKeyword)
  );
}

const texts = new Map<string, string>();
const parsed = new Map<string, ts.SourceFile>();

function textOf(file: string): string {
  const text = texts.get(file) ?? readFileSync(file, 'utf8');
  texts.set(file, text);
  return text;
}

/** @param part the name of a namespace, if nothing else of the file is asked for */
function parse(file: string, part = ''): ts.SourceFile {
  const known = parsed.get(`${file} ${part}`);
  if (known) return known;
  const text = part === '' ? textOf(file) : namespaceIn(textOf(file), part);
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest);
  parsed.set(`${file} ${part}`, source);
  return source;
}

/** The types of all services are in two files of 110 000 lines: parsing them took each command a second of CPU. */
function namespaceIn(text: string, name: string): string {
  const start = text.indexOf(`\nexport declare namespace ${name} {`);
  return start === -1 ? '' : text.slice(start, text.indexOf('\n}', start) + 2);
}

function fieldsOf(members: readonly ts.Node[]): Fields {
  const properties = members.filter((one) => ts.isPropertySignature(one) || ts.isPropertyDeclaration(one));
  return new Map(
    properties.map(({ name, type, questionToken }) => {
      const { shape, optional } = readType(type);
      return [(name as ts.Identifier).text, { shape, optional: optional || questionToken !== undefined }];
    }),
  );
}

interface Read {
  shape: Shape;
  optional: boolean;
}

const anything: Read = { shape: { kind: 'anything' }, optional: false };

function readType(type: ts.TypeNode | undefined): Read {
  if (!type) return anything;
  if (ts.isParenthesizedTypeNode(type)) return readType(type.type);
  if (ts.isUnionTypeNode(type)) return readUnion(type);
  if (ts.isArrayTypeNode(type)) return required({ kind: 'list', item: readType(type.elementType).shape });
  if (ts.isTypeLiteralNode(type)) return readMap(type);
  if (ts.isTypeReferenceNode(type)) return readReference(type);
  const scalar = scalars.get(type.kind);
  return scalar ? required({ kind: scalar }) : anything;
}

const required = (shape: Shape): Read => ({ shape, optional: false });

const scalars = new Map<ts.SyntaxKind, 'string' | 'number' | 'boolean'>([
  [ts.SyntaxKind.StringKeyword, 'string'],
  [ts.SyntaxKind.NumberKeyword, 'number'],
  [ts.SyntaxKind.BooleanKeyword, 'boolean'],
]);

function readUnion(type: ts.UnionTypeNode): Read {
  const isUndefined = (one: ts.TypeNode) => one.kind === ts.SyntaxKind.UndefinedKeyword;
  const rest = type.types.filter((one) => !isUndefined(one));
  const of = rest.map((one) => readType(one).shape);
  const [only] = of;
  const shape: Shape = of.length === 1 && only ? only : { kind: 'choice', of };
  return { shape, optional: rest.length < type.types.length };
}

function readMap(type: ts.TypeLiteralNode): Read {
  const index = type.members.find(ts.isIndexSignatureDeclaration);
  return index ? required({ kind: 'map', item: readType(index.type).shape }) : anything;
}

function readReference({ typeName, typeArguments }: ts.TypeReferenceNode): Read {
  const path = entityPath(typeName);
  const last = path.at(-1);
  if (last === 'Input' || last === 'Output') return readType(typeArguments?.[0]);
  if (last === 'ARN' || last === 'ID' || last === 'Region') return required({ kind: 'string' });
  const [side, ...name] = path;
  if (side === 'inputs' || side === 'outputs') {
    const file = join(folder, 'types', side === 'inputs' ? 'input.d.ts' : 'output.d.ts');
    return required({ kind: 'object', name: name.join('.'), fields: () => declaredFields(file, name) });
  }
  return anything;
}

const entityPath = (name: ts.EntityName): string[] =>
  ts.isIdentifier(name) ? [name.text] : [...entityPath(name.left), name.right.text];

function declaredFields(file: string, path: readonly string[]): Fields {
  const [namespace = ''] = path.slice(0, -1);
  let statements: readonly ts.Statement[] = parse(file, namespace).statements;
  for (const name of path.slice(0, -1)) {
    const found = statements.find((one) => ts.isModuleDeclaration(one) && one.name.text === name);
    const body = (found as ts.ModuleDeclaration | undefined)?.body;
    statements = body && ts.isModuleBlock(body) ? body.statements : [];
  }
  const found = statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === path.at(-1));
  if (!found) throw new Error(`@pulumi/aws declares no ${path.join('.')}`);
  return fieldsOf((found as ts.InterfaceDeclaration).members);
}
