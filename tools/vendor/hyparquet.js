// What reads the names and types of columns from the footer of a Parquet file.
export { parquetMetadataAsync, parquetSchema } from "hyparquet";
